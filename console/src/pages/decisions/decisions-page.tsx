/** The list of decisions, with the query bar and a panel that shows one of them. */
import { useZone } from '../../ui/preferences.ts'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Freshness } from './freshness.tsx'
import { ListBody } from './list-body.tsx'
import { Peek } from './peek.tsx'
import { QueryBar } from './query-bar.tsx'
import { useActiveRow } from './use-active-row.ts'
import { useDecisions } from './use-decisions.ts'
import { useListState } from './use-list-state.ts'

const keys = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['o', 'peek'],
  ['/', 'query'],
  ['Esc', 'close']
] as const

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
        {keys.map(([key, action]) => (
          <span key={key}>
            <kbd>{key}</kbd> {action}
          </span>
        ))}
      </p>
    </main>
  )
}
