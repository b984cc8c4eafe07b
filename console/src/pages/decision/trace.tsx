/** The trace of a decision: what called it, and what it called. */
import { Link } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import type { DecisionTrace, TracedDecision } from '../../api/wire.ts'
import { formatCount, formatNumber } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { Pill } from '../../ui/pill.tsx'
import { useDecisionContext } from './use-decision.ts'

/** Shows nothing if the decision has no trace. `SessionNeighbors` shows why a read failed. */
export function Trace({ id }: { readonly id: string }) {
  const trace = useDecisionContext(id).data?.trace ?? null
  if (trace === null) return null
  return (
    <section aria-labelledby="trace">
      <h2 id="trace">Trace</h2>
      <TraceTree id={id} trace={trace} />
    </section>
  )
}

function TraceTree({ id, trace }: { readonly id: string; readonly trace: DecisionTrace }) {
  const { decisions, has_more, trace_id } = trace
  return (
    <>
      <ol className="trace">
        {decisions.map((decision) => (
          <Entry key={decision.decision_id} id={id} decision={decision} />
        ))}
      </ol>
      {has_more && (
        <p className="quiet">
          These are the newest {decisions.length} decisions. Find all with{' '}
          <code>trace:{visible(trace_id)}</code>.
        </p>
      )}
    </>
  )
}

const depthMax = 20
const indentPixels = 20

/** The level tells screen readers what the indent shows. */
function Entry({ id, decision }: { readonly id: string; readonly decision: TracedDecision }) {
  const search = useSearch()
  const { decision_id, depth, name, kind, evaluation, is_error } = decision
  const isShown = decision_id.toLowerCase() === id.toLowerCase()
  const label = <bdi>{visible(name ?? decision_id)}</bdi>
  return (
    <li
      aria-level={depth + 1}
      aria-current={isShown ? 'true' : undefined}
      style={{ marginLeft: Math.min(depth, depthMax) * indentPixels }}
    >
      {isShown ? (
        <strong>{label}</strong>
      ) : (
        <Link href={`/decisions/${decision_id}${search}`}>{label}</Link>
      )}{' '}
      {kind !== null && <Pill word={visible(kind)} />} <Pill word={evaluation.verdict} />{' '}
      {is_error === true && <Pill word="error" />}{' '}
      <span className="quiet">{measuresOf(decision)}</span>
    </li>
  )
}

/** Returns the latency and the tokens, as far as they were sent. */
function measuresOf({ latency_ms, input_tokens, output_tokens }: TracedDecision): string {
  return [
    latency_ms === null ? [] : `${formatNumber(latency_ms)} ms`,
    input_tokens === null ? [] : formatCount(input_tokens, 'input token'),
    output_tokens === null ? [] : formatCount(output_tokens, 'output token')
  ]
    .flat()
    .join(' · ')
}
