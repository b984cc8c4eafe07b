/** The list of decisions, with the query bar and a panel that shows one of them. */
import { useZone } from '../../ui/preferences.ts'
import { useTitle } from '../../ui/page.tsx'
import { QueryProblem } from '../../ui/loaded.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import { Facets } from './facets.tsx'
import { Freshness } from './freshness.tsx'
import { Histogram } from './histogram.tsx'
import { ListBody } from './list-body.tsx'
import { ListTools } from './list-tools.tsx'
import { Peek } from './peek.tsx'
import { QueryBar } from './query-bar.tsx'
import { useActiveRow } from './use-active-row.ts'
import { useDecisions } from './use-decisions.ts'
import { useListState } from './use-list-state.ts'

export function DecisionsPage() {
  const [state, setState] = useListState()
  const list = useDecisions(state)
  const { active, peek, showPeek, close } = useActiveRow(list.rows)
  const [zone] = useZone()
  useTitle('Decisions')
  useKeys({ f: () => void setState({ facets: !state.facets }) })
  // The list comes first: its request must not wait for those of the counts.
  const isReady = !list.isLoading
  return (
    <main className="list-page">
      <header className="page-head">
        <h1>Decisions</h1>
        <span className="quiet">Times in {zone}</span>
        <Freshness meta={list.newest} />
        <ListTools />
      </header>
      <QueryBar />
      <QueryProblem query={list} />
      {isReady && <Histogram />}
      <div className="split">
        {isReady && state.facets && <Facets />}
        <ListBody {...{ list, active, showPeek }} />
        {peek !== null && <Peek key={peek} id={peek} onClose={close} />}
      </div>
      <p className="quiet keys">
        <kbd>?</kbd> shows the keyboard shortcuts
      </p>
    </main>
  )
}
