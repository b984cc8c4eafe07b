/** The part of the list page below the query bar: rows, or why there are none. */
import { useEffect } from 'react'
import { formatNumber } from '../../text/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { DecisionTable } from './decision-table.tsx'
import { EmptyList } from './empty-list.tsx'
import { rowsMax } from './use-decisions.ts'
import { useLoadMore } from './use-load-more.ts'
import type { DecisionList } from './use-load-more.ts'

interface ListBodyProps {
  readonly list: DecisionList
  readonly active: number
  readonly showPeek: (index: number) => void
}

export function ListBody({ list, active, showPeek }: ListBodyProps) {
  const more = useLoadMore(list)
  const { rows, hasNextPage, isFetching } = list
  const isEmpty = rows.length === 0
  return (
    <section className="list" aria-busy={isFetching} aria-label="List of decisions">
      {!isEmpty && (
        <DecisionTable
          {...{ rows, active }}
          hasMore={hasNextPage}
          onPeek={showPeek}
          onEnd={more.load}
        />
      )}
      {isEmpty && <NoRows list={list} {...more} />}
      {isFetching && <Loading key={rows.length} label="Searching…" onCancel={more.cancel} />}
      {more.isPaused && !isFetching && (
        <p className="list-state">
          The search was canceled.{' '}
          <button type="button" onClick={more.resume}>
            Continue
          </button>
        </p>
      )}
      {rows.length >= rowsMax && hasNextPage && (
        <p className="list-state">
          {formatNumber(rowsMax)} decisions are loaded. Narrow the query to see others.
        </p>
      )}
    </section>
  )
}

type NoRowsProps = Pick<ListBodyProps, 'list'> & ReturnType<typeof useLoadMore>

/** A page can be empty although more pages follow. */
function NoRows({ list, load, isPaused }: NoRowsProps) {
  useEffect(load, [load])
  const { isFetching, hasNextPage, isSuccess } = list
  if (!isSuccess || isFetching || hasNextPage || isPaused) return null
  return <EmptyList />
}
