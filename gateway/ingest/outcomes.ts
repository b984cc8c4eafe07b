/** Gives every received decision exactly one outcome: queued, or rejected with a reason. */
import { Problem } from '../../core/problem.ts'
import type { ProblemCode } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { jsonHeaders } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import type { Attempt } from './attempt.ts'
import { pointsOfRefusal } from './limit-rate.ts'
import type { LimitRate, Quota } from './limit-rate.ts'
import type { NoteFacts } from './note-facts.ts'

export interface Outcomes {
  begin(call: Call): Attempt
  /** 202: the broker has it. */
  acknowledge(attempt: Attempt): Reply
  /** Counts the refusal and returns what to throw. Never throws itself. */
  refuse(attempt: Attempt, error: unknown): Promise<unknown>
  /** `reason` is empty for what is queued. */
  count(outcome: 'queued' | 'rejected', reason: ProblemCode | '', by?: number): void
}

export interface OutcomesDependencies {
  readonly limitRate: LimitRate
  readonly metrics: Metrics
  readonly facts: NoteFacts
}

export function createOutcomes({ limitRate, metrics, facts }: OutcomesDependencies): Outcomes {
  const countQueued = metrics.counter('sluice_ingest_outcomes_total', {
    outcome: 'queued',
    reason: ''
  })
  const count: Outcomes['count'] = (outcome, reason, by = 1) => {
    if (outcome === 'queued') countQueued(by)
    else metrics.count('sluice_ingest_outcomes_total', { outcome, reason }, by)
  }

  return {
    begin: (call) => ({ call, principal: null, submission: null, decision: null, quota: null }),

    acknowledge: (attempt) => {
      count('queued', '')
      facts.accepted(attempt, 1)
      const body = `{"decision_id":"${attempt.decision?.decision_id}","queued":true}`
      return { status: 202, headers: { ...jsonHeaders, ...attempt.quota?.headers }, body }
    },

    refuse: async (attempt, error) => {
      if (!(error instanceof Problem)) {
        count('rejected', 'internal_error')
        facts.refused(attempt, unexpected)
        return error
      }
      count('rejected', error.code)
      facts.refused(attempt, error)
      const quota = await chargeFor(error, attempt, limitRate)
      const members = attempt.decision ? { decision_id: attempt.decision.decision_id } : {}
      return error.extended({ members, headers: quota?.headers ?? {} })
    },

    count
  }
}

const unexpected = new Problem('internal_error', { detail: 'The request failed unexpectedly.' })

/**
 * What is refused counts against the limit too: refusing costs work, and a loop of it must end. The
 * point that every decision costs may be taken already.
 */
async function chargeFor(
  refusal: Problem,
  { principal, quota, call }: Attempt,
  limitRate: LimitRate
): Promise<Quota | null> {
  const points = pointsOfRefusal(refusal, call.body_bytes) - (quota === null ? 0 : 1)
  return principal === null || points === 0 ? quota : await limitRate(principal, points)
}
