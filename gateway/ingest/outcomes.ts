/** Counts exactly one outcome for each decision, or for a batch that fails as a whole: queued, or
 * rejected with a reason.
 */
import { Problem } from '../../core/problem.ts'
import type { ProblemCode } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { jsonHeaders } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import { onlyOf } from './attempt.ts'
import type { Attempt } from './attempt.ts'
import { pointsOfRejection } from './limit-rate.ts'
import type { LimitRate, Quota } from './limit-rate.ts'
import type { CountUsage } from './count-usage.ts'

export interface Outcomes {
  begin(call: Call): Attempt
  /** Counts a decision as queued after Kafka has acknowledged it, and returns the 202. */
  acknowledge(attempt: Attempt): Reply
  /** Counts the rejection and returns the error to throw. Never throws. */
  reject(attempt: Attempt, error: unknown): Promise<unknown>
  /** Counts outcomes. `reason` is empty for queued decisions. */
  count(outcome: 'queued' | 'rejected', reason: ProblemCode | '', by?: number): void
}

interface OutcomesDependencies {
  readonly limitRate: LimitRate
  readonly metrics: Metrics
  readonly usage: CountUsage
}

export function createOutcomes({ limitRate, metrics, usage }: OutcomesDependencies): Outcomes {
  const countQueued = metrics.counter('sluice_ingest_outcomes_total', {
    outcome: 'queued',
    reason: ''
  })
  const count: Outcomes['count'] = (outcome, reason, by = 1) => {
    if (outcome === 'queued') countQueued(by)
    else metrics.count('sluice_ingest_outcomes_total', { outcome, reason }, by)
  }

  return {
    begin: (call) => ({ call, principal: null, quota: null, batch: null }),

    acknowledge: (attempt) => {
      count('queued', '')
      usage.accepted(attempt, 1)
      const body = `{"decision_id":"${attempt.batch?.idAt(0)}","queued":true}`
      return { status: 202, headers: { ...jsonHeaders, ...attempt.quota?.headers }, body }
    },

    reject: async (attempt, error) => {
      if (!(error instanceof Problem)) {
        count('rejected', 'internal_error')
        usage.rejected(attempt, unexpected)
        return error
      }
      count('rejected', error.code)
      usage.rejected(attempt, error)
      const quota = await chargeFor(error, attempt, limitRate)
      const id = error.code === 'invalid_decision' ? null : onlyOf(attempt)?.idAt(0)
      const members = id ? { decision_id: id } : {}
      return error.extended({ members, headers: quota?.headers ?? {} })
    },

    count
  }
}

const unexpected = new Problem('internal_error', { detail: 'The request failed unexpectedly.' })

/**
 * Charges a rejection against the rate limit, because rejections cost work and callers must not
 * retry in a loop for free. Subtracts the point already charged for the decision, if any.
 */
async function chargeFor(
  problem: Problem,
  { principal, quota, call }: Attempt,
  limitRate: LimitRate
): Promise<Quota | null> {
  const points = pointsOfRejection(problem, call.body_bytes) - (quota === null ? 0 : 1)
  return principal === null || points === 0 ? quota : await limitRate(principal, points)
}
