/** Builds the webhook payload of a completed evaluation. The payload contains no content of the
 * decision.
 */
import type { EndedOutcomeRun } from '../../core/evaluation/decision-outcome.ts'
import { currentRunsOf, evaluationStateOf } from '../../core/evaluation/evaluation-status.ts'
import { verdictOf } from '../../core/evaluation/evaluation.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { deliveryIdOf } from '../../core/webhook.ts'
import type { WebhookEvent } from '../../core/webhook.ts'

export const completedEvent: WebhookEvent = 'evaluation.completed'

/** A row of webhook_deliveries. */
export interface Completion {
  readonly organization_id: string
  readonly delivery_id: string
  readonly webhook_id: string
  readonly decision_id: string
  /** JSON text. */
  readonly payload: string
}

type CompletedDecision = Pick<
  Evaluation,
  'organization_id' | 'decision_id' | 'agent_id' | 'session_id' | 'domain'
>

/** Returns one completion per webhook. */
export function completionsOf(
  decision: CompletedDecision,
  runs: readonly EndedOutcomeRun[],
  { webhookIds, planned, now }: { webhookIds: readonly string[]; planned: number; now: number }
): Completion[] {
  const { organization_id, decision_id } = decision
  const evaluation = evaluationOf(decision, runs)
  return webhookIds.map((webhook_id) => {
    const event = completedEvent
    const repetition = runs.length - planned
    const delivery_id = deliveryIdOf({ webhook_id, decision_id, event, repetition })
    const created_at = new Date(now).toISOString()
    const payload = JSON.stringify({ id: delivery_id, type: event, created_at, ...evaluation })
    return { organization_id, delivery_id, webhook_id, decision_id, payload }
  })
}

function evaluationOf(decision: CompletedDecision, runs: readonly EndedOutcomeRun[]) {
  const { organization_id, decision_id, agent_id, session_id, domain } = decision
  const current = currentRunsOf(runs)
  const scores = current.flatMap((run) =>
    run.scores.map(({ name, value, label, passed }) => {
      const { evaluator, evaluator_version: version } = run
      return [name, { value, label, passed, evaluator, version }] as const
    })
  )
  return {
    organization_id,
    decision_id,
    agent_id,
    session_id,
    domain,
    status: evaluationStateOf(current).status,
    verdict: verdictOf(current.flatMap((run) => run.scores)),
    scores: Object.fromEntries(scores)
  }
}
