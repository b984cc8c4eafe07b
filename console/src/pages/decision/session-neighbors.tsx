/** The decisions before and after a decision in its session. */
import { Link } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { visible } from '../../text/visible.ts'
import type { SessionDecision } from '../../api/wire.ts'
import { Loaded, QueryProblem } from '../../ui/loaded.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/time.tsx'
import { useDecisionContext } from './use-decision.ts'

interface SessionNeighborsProps {
  readonly id: string
  readonly sessionId: string | null
}

export function SessionNeighbors({ id, sessionId }: SessionNeighborsProps) {
  const context = useDecisionContext(id)
  if (sessionId === null) return <QueryProblem query={context} />
  return (
    <section aria-labelledby="session">
      <h2 id="session">Session</h2>
      <Loaded query={context} what="the session">
        {({ before, after }) => (
          <ol className="session">
            {before.map((decision) => (
              <Neighbor key={decision.decision_id} id={id} decision={decision} />
            ))}
            <li aria-current="true">This decision</li>
            {after.map((decision) => (
              <Neighbor key={decision.decision_id} id={id} decision={decision} />
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  )
}

function Neighbor({ id, decision }: { readonly id: string; readonly decision: SessionDecision }) {
  const search = useSearch()
  return (
    <li>
      <Link href={`/decisions/${decision.decision_id}${search}`}>
        <Time iso={decision.received_at} />
      </Link>{' '}
      <Pill word={decision.evaluation.verdict} />{' '}
      <Link href={`/compare?a=${id}&b=${decision.decision_id}`}>Compare</Link>{' '}
      <bdi className="quiet">{visible(decision.output_preview)}</bdi>
    </li>
  )
}
