/** Everything about one decision: its fields, its evaluation, its trace, its payload and its
 * session.
 */
import { ApiError } from '../../api/api-error.ts'
import type { DecisionParts } from '../../decision/decision-text.ts'
import { isNotYet } from '../../api/retries.ts'
import { isUuid } from '../../text/is-uuid.ts'
import { Loading } from '../../ui/loading.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { DecisionActions } from './decision-actions.tsx'
import { DecisionFacts } from './decision-facts.tsx'
import { EvaluationPlan } from './evaluation-plan.tsx'
import { Payload } from './payload.tsx'
import { SessionNeighbors } from './session-neighbors.tsx'
import { Trace } from './trace.tsx'
import { useDecision } from './use-decision.ts'

/** Checks the id first, because a link may contain any text and would choose the path to read. */
export function DecisionView({ id }: { readonly id: string }) {
  return isUuid(id) ? <StoredDecision id={id} /> : <Unknown />
}

function Unknown() {
  return <p>No decision with this id exists in this organization.</p>
}

function StoredDecision({ id }: { readonly id: string }) {
  const { data, error, failureReason, refetch } = useDecision(id)
  if (data !== undefined) return <DecisionDetails id={id} decision={data} />
  if (error === null) {
    const isLate = isNotYet(failureReason)
    return <Loading label={isLate ? 'The decision is not stored yet. Waiting…' : 'Loading…'} />
  }
  if (error instanceof ApiError && error.problem.code === 'decision_not_found') {
    return <Unknown />
  }
  return <ProblemBox error={error} onRetry={() => void refetch()} />
}

interface DecisionDetailsProps {
  readonly id: string
  readonly decision: DecisionParts
}

function DecisionDetails({ id, decision }: DecisionDetailsProps) {
  const { fields, payload } = decision
  return (
    <>
      <DecisionActions id={id} decision={decision} />
      <DecisionFacts fields={fields} />
      <EvaluationPlan id={id} />
      <Trace id={id} />
      <Payload name="output" text={payload.output} />
      <Payload name="input" text={payload.input} />
      <Payload name="metadata" text={payload.metadata} />
      <SessionNeighbors id={id} sessionId={fields.session_id} />
    </>
  )
}
