/** Counts one outcome for each item of a batch and builds the response. */
import { problemBody, problems } from '../../core/problem.ts'
import type { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { jsonHeaders } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import { problemReply } from '../../http/reply/problem-reply.ts'
import type { ReportRejection } from '../../http/admission/report-rejections.ts'
import type { Attempt } from './attempt.ts'
import type { CountUsage } from './count-usage.ts'
import { idBytes } from './decision-batch.ts'
import type { DecisionBatch } from './decision-batch.ts'
import { pointsOfRejection } from './limit-rate.ts'
import type { LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'
import { itemsMax } from './parse-batch.ts'

export interface BatchOutcomes {
  begin(call: Call): Attempt
  /**
   * Returns 202 or 207, or a single error if no item was accepted and at least one of them can be
   * retried.
   */
  settle(attempt: Attempt, batch: DecisionBatch): Promise<Reply>
  /** Counts the rejection of a whole request and returns the error to throw. Never throws. */
  reject(attempt: Attempt, error: unknown): Promise<unknown>
}

export function createBatchOutcomes(dependencies: {
  readonly outcomes: Outcomes
  readonly limitRate: LimitRate
  readonly metrics: Metrics
  readonly reportRejection: ReportRejection
  readonly usage: CountUsage
}): BatchOutcomes {
  const { outcomes, limitRate, metrics, reportRejection, usage } = dependencies

  function countEach({ problems }: DecisionBatch, requestId: string): number {
    let queued = 0
    for (const problem of problems) {
      if (problem === null) queued += 1
      else {
        outcomes.count('rejected', problem.code)
        reportRejection(problem, requestId)
      }
    }
    if (queued > 0) outcomes.count('queued', '', queued)
    metrics.observe('sluice_ingest_batch_decisions', {}, problems.length)
    return queued
  }

  /**
   * Charges rejected items for their cost, minus the one point that each has already been charged.
   */
  async function chargeEach(attempt: Attempt, { problems, sizes }: DecisionBatch): Promise<void> {
    const { principal } = attempt
    let points = 0
    for (const [index, problem] of problems.entries()) {
      if (problem !== null) points += pointsOfRejection(problem, sizes[index] ?? 0) - 1
    }
    if (principal !== null && points > 0) attempt.quota = await limitRate(principal, points)
  }

  return {
    begin: outcomes.begin,
    reject: outcomes.reject,

    settle: async (attempt, batch) => {
      const { request_id: requestId } = attempt.call
      const queued = countEach(batch, requestId)
      usage.accepted(attempt, queued)
      if (queued < batch.count) {
        usage.rejectedEach(attempt)
        await chargeEach(attempt, batch)
      }
      const headers = { ...attempt.quota?.headers, ...retryAfterOf(batch) }
      const whole = queued === 0 ? batch.problems.find(isRetryable) : undefined
      if (whole) return rejectAll({ batch, whole, headers, requestId })
      const status = queued === batch.count ? 202 : 207
      return { status, headers: { ...jsonHeaders, ...headers }, body: '', bytes: resultsOf(batch) }
    }
  }
}

function isRetryable(problem: Problem | null): boolean {
  return problem !== null && problems[problem.code].retryable
}

/**
 * Returns Retry-After with the longest delay of all items, because an earlier retry would be
 * rejected again.
 */
function retryAfterOf({ problems }: DecisionBatch): Record<string, string> {
  let longest = 0
  for (const problem of problems) {
    if (problem === null) continue
    longest = Math.max(longest, Number(problem.options.headers?.['retry-after'] ?? 0))
  }
  return longest > 0 ? { 'retry-after': String(longest) } : {}
}

/**
 * Rejects the whole batch. Includes the decision ids, because a retry is only safe with the same
 * ids.
 */
function rejectAll(settled: {
  readonly batch: DecisionBatch
  readonly whole: Problem
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
}): Reply {
  const { batch, whole, headers, requestId } = settled
  const items = batch.problems.flatMap((problem, index) =>
    problem === null ? [] : [rejectedItem(batch, index, problem)]
  )
  return problemReply(whole.extended({ members: { results: items }, headers }), requestId)
}

const [head, tail] = [Buffer.from('{"results":['), Buffer.from(']}')]
const acceptedTail = '","queued":true}'
const separatorBefore = (index: number): string => (index === 0 ? '' : ',')
/** The results of accepted items, each with a blank decision_id, prepared for all responses. */
const acceptedItems = Array.from({ length: itemsMax }, (_, index) => {
  const start = `${separatorBefore(index)}{"index":${index},"decision_id":"`
  return Buffer.from(start + ' '.repeat(idBytes) + acceptedTail)
})

/** Joins prepared bytes, because a string for each item would cost more than its record. */
function resultsOf(batch: DecisionBatch): Buffer {
  const items = batch.problems.map((problem, index) => {
    if (problem === null) return acceptedItems[index] as Buffer
    return Buffer.from(separatorBefore(index) + JSON.stringify(rejectedItem(batch, index, problem)))
  })
  const bytes = Buffer.concat([head, ...items, tail])
  let end = head.length
  for (const [index, item] of items.entries()) {
    end += item.length
    const idAt = end - acceptedTail.length - idBytes
    if (batch.problems[index] === null) batch.copyId(index, bytes, idAt)
  }
  return bytes
}

/** Returns the result of a rejected item. Omits request_id, which the response contains once. */
function rejectedItem(batch: DecisionBatch, index: number, problem: Problem): object {
  const body = problemBody(problem, '')
  const retryable = body['retryable']
  delete body['request_id']
  delete body['retryable']
  return { index, decision_id: batch.idAt(index), queued: false, retryable, problem: body }
}
