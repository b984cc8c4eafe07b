/** The list of decisions, with the query bar and a panel that shows one of them. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useZone } from '../../lib/preferences.ts'
import { Loading } from '../../ui/loading.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { DecisionTable } from './decision-table.tsx'
import { EmptyList } from './empty-list.tsx'
import { Freshness } from './freshness.tsx'
import { Peek } from './peek.tsx'
import { QueryBar } from './query-bar.tsx'
import { useActiveRow } from './use-active-row.ts'
import { rowsMax, useDecisions } from './use-decisions.ts'
import { useListState } from './use-list-state.ts'

export function DecisionsPage() {
  const [state] = useListState()
  const list = useDecisions(state)
  const { active, peek, showPeek, close } = useActiveRow(list.rows)
  const [zone] = useZone()
  return (
    <main className="list-page">
      <header className="page-head">
        <h1>Decisions</h1>
        <span className="quiet">Times in {zone}</span>
        <Freshness meta={list.newest} />
      </header>
      <QueryBar />
      {list.error !== null && (
        <ProblemBox
          key={list.errorUpdatedAt}
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      <div className="split">
        <ListBody {...{ list, active, showPeek }} />
        {peek !== null && <Peek key={peek} id={peek} onClose={close} />}
      </div>
      <p className="quiet keys">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>o</kbd> peek · <kbd>/</kbd>{' '}
        query · <kbd>Esc</kbd> close
      </p>
    </main>
  )
}

interface ListBodyProps {
  readonly list: ReturnType<typeof useDecisions>
  readonly active: number
  readonly showPeek: (index: number) => void
}

function ListBody({ list, active, showPeek }: ListBodyProps) {
  const queries = useQueryClient()
  const [isPaused, setIsPaused] = useState(false)
  const { rows, errors, hasNextPage, isFetching, isError, fetchNextPage } = list
  const mayLoad = hasNextPage && !isFetching && !isError && !isPaused && rows.length < rowsMax
  const onEnd = useCallback(() => {
    if (mayLoad) void fetchNextPage()
  }, [mayLoad, fetchNextPage])
  const cancel = (): void => {
    setIsPaused(true)
    void queries.cancelQueries({ queryKey: ['decisions'] })
  }
  const resume = (): void => {
    setIsPaused(false)
    if (list.isPending) void list.refetch()
  }
  if (errors.length > 0 && rows.length === 0) return <p className="list-state" />
  const isSearching = isFetching || mayLoad
  return (
    <section className="list" aria-busy={isFetching} aria-label="List of decisions">
      {rows.length > 0 && (
        <DecisionTable {...{ rows, active, onEnd }} hasMore={hasNextPage} onPeek={showPeek} />
      )}
      {rows.length === 0 && !isSearching && !isError && !isPaused && <EmptyList />}
      {rows.length === 0 && mayLoad && <SearchOn onEnd={onEnd} />}
      {isSearching && <Loading key={rows.length} label="Searching…" onCancel={cancel} />}
      {isPaused && !isFetching && (
        <p className="list-state">
          The search was canceled.{' '}
          <button type="button" onClick={resume}>
            Continue
          </button>
        </p>
      )}
      {rows.length >= rowsMax && hasNextPage && (
        <p className="list-state">
          {rowsMax.toLocaleString('en')} decisions are loaded. Narrow the query to see others.
        </p>
      )}
    </section>
  )
}

/** A page can be empty although more pages follow. */
function SearchOn({ onEnd }: { readonly onEnd: () => void }) {
  useEffect(onEnd, [onEnd])
  return null
}
