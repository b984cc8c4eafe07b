/** Counts one outcome for each item of a batch and builds the response. */
import { Problem, problemBody, problems } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { jsonHeaders } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import { problemReply } from '../../http/reply/problem-reply.ts'
import type { ReportRejection } from '../../http/admission/report-rejections.ts'
import type { BatchAttempt } from './attempt.ts'
import type { CountUsage } from './count-usage.ts'
import { pointsOfRejection } from './limit-rate.ts'
import type { LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'

/** The problem of each item, or null if Kafka acknowledged it. */
type BatchResults = readonly (Problem | null)[]

export interface BatchOutcomes {
  begin(call: Call): BatchAttempt
  /**
   * Returns 202 or 207, or a single error if no item was accepted and at least one of them can be
   * retried.
   */
  settle(attempt: BatchAttempt, results: BatchResults, requestId: string): Promise<Reply>
  /** Counts the rejection of a whole request and returns the error to throw. Never throws. */
  reject(attempt: BatchAttempt, error: unknown): Promise<unknown>
}

export function createBatchOutcomes(dependencies: {
  readonly outcomes: Outcomes
  readonly limitRate: LimitRate
  readonly metrics: Metrics
  readonly reportRejection: ReportRejection
  readonly usage: CountUsage
}): BatchOutcomes {
  const { outcomes, limitRate, metrics, reportRejection, usage } = dependencies

  function countEach(results: BatchResults, requestId: string): number {
    let queued = 0
    for (const problem of results) {
      if (problem === null) queued += 1
      else {
        outcomes.count('rejected', problem.code)
        reportRejection(problem, requestId)
      }
    }
    if (queued > 0) outcomes.count('queued', '', queued)
    metrics.observe('sluice_ingest_batch_decisions', {}, results.length)
    return queued
  }

  /**
   * Charges rejected items for their cost, minus the one point that each has already been charged.
   */
  async function chargeEach(attempt: BatchAttempt, results: BatchResults): Promise<void> {
    const { principal, sizes } = attempt
    let points = 0
    for (const [index, problem] of results.entries()) {
      if (problem !== null) points += pointsOfRejection(problem, sizes[index] ?? 0) - 1
    }
    if (principal !== null && points > 0) attempt.quota = await limitRate(principal, points)
  }

  return {
    begin: (call) => ({ ...outcomes.begin(call), items: [], sizes: [], ids: [], decisions: [] }),

    settle: async (attempt, results, requestId) => {
      const queued = countEach(results, requestId)
      usage.accepted(attempt, queued, attempt.items[0] ?? null)
      if (queued < results.length) {
        usage.rejectedEach(attempt, results)
        await chargeEach(attempt, results)
      }
      const headers = attempt.quota?.headers ?? {}
      const whole = queued === 0 ? results.find(isRetryable) : undefined
      if (whole) return rejectAll({ attempt, results, whole, requestId })
      const body = `{"results":[${textsOf(attempt, results).join(',')}]}`
      const status = queued === results.length ? 202 : 207
      const retryAfter = retryAfterOf(results)
      return { status, headers: { ...jsonHeaders, ...headers, ...retryAfter }, body }
    },

    reject: (attempt, error) => outcomes.reject(attempt, error)
  }
}

function isRetryable(problem: Problem | null): boolean {
  return problem !== null && problems[problem.code].retryable
}

/**
 * Returns Retry-After with the longest delay of all items, because an earlier retry would be
 * rejected again.
 */
function retryAfterOf(results: BatchResults): Record<string, string> {
  const seconds = results.map((problem) => Number(problem?.options.headers?.['retry-after'] ?? 0))
  const longest = Math.max(0, ...seconds)
  return longest > 0 ? { 'retry-after': String(longest) } : {}
}

/**
 * Rejects the whole batch. Includes the decision ids, because a retry is only safe with the same
 * ids.
 */
function rejectAll(settled: {
  readonly attempt: BatchAttempt
  readonly results: BatchResults
  readonly whole: Problem
  readonly requestId: string
}): Reply {
  const { attempt, results, whole, requestId } = settled
  const items = results.flatMap((problem, index) =>
    problem === null ? [] : [rejectedItem(attempt, index, problem)]
  )
  const headers = { ...attempt.quota?.headers, ...retryAfterOf(results) }
  return problemReply(whole.extended({ members: { results: items }, headers }), requestId)
}

function textsOf(attempt: BatchAttempt, results: BatchResults): string[] {
  return results.map((problem, index) =>
    problem === null
      ? `{"index":${index},"decision_id":"${idAt(attempt, index)}","queued":true}`
      : JSON.stringify(rejectedItem(attempt, index, problem))
  )
}

/** Returns the result of a rejected item. Omits request_id, which the response contains once. */
function rejectedItem(attempt: BatchAttempt, index: number, problem: Problem): object {
  const body = problemBody(problem, '')
  const retryable = body['retryable']
  delete body['request_id']
  delete body['retryable']
  const decision_id = idAt(attempt, index)
  return { index, decision_id, queued: false, retryable, problem: body }
}

function idAt({ decisions, ids }: BatchAttempt, index: number): string | null {
  const decision = decisions[index]
  return (decision instanceof Problem ? ids[index] : decision?.decision_id) ?? null
}
