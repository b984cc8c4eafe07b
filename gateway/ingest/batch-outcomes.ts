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
import type { DecisionBatch } from './decision-batch.ts'
import { ByteWriter } from '../../platform/kafka/producer/byte-writer.ts'
import { pointsOfRejection } from './limit-rate.ts'
import type { LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'

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

/** Maximum length of the result of an accepted item, with its comma. */
const acceptedBytesMax = 96
const [head, tail] = ['{"results":[', ']}']

/** Writes the results as bytes, because a string for each item would cost more than its record. */
function resultsOf(batch: DecisionBatch): Buffer {
  const { problems } = batch
  const rejected = problems.map((problem, index) =>
    problem === null ? null : JSON.stringify(rejectedItem(batch, index, problem))
  )
  let bytesMax = head.length + tail.length
  for (const text of rejected) {
    bytesMax += text === null ? acceptedBytesMax : Buffer.byteLength(text) + 1
  }
  const writer = new ByteWriter(Buffer.allocUnsafe(bytesMax))
  writer.raw(head)
  for (const [index, text] of rejected.entries()) {
    if (index > 0) writer.raw(',')
    if (text !== null) writer.raw(text)
    else {
      writer.raw(`{"index":${index},"decision_id":"`)
      batch.writeId(index, writer)
      writer.raw('","queued":true}')
    }
  }
  writer.raw(tail)
  return writer.bytes.subarray(0, writer.at)
}

/** Returns the result of a rejected item. Omits request_id, which the response contains once. */
function rejectedItem(batch: DecisionBatch, index: number, problem: Problem): object {
  const body = problemBody(problem, '')
  const retryable = body['retryable']
  delete body['request_id']
  delete body['retryable']
  return { index, decision_id: batch.idAt(index), queued: false, retryable, problem: body }
}
