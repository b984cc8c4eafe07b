/** What became of a batch: one outcome for each item, counted, and the answer that says so. */
import { Problem, problemBody, problems } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { jsonHeaders } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import { problemReply } from '../../http/reply/problem-reply.ts'
import type { ReportRefusal } from '../../http/admission/report-refusals.ts'
import type { BatchAttempt } from './attempt.ts'
import type { NoteFacts } from './note-facts.ts'
import { pointsOfRefusal } from './limit-rate.ts'
import type { LimitRate } from './limit-rate.ts'
import type { Outcomes } from './outcomes.ts'

/** For each item why it is not on the log, or null when it is. */
export type Results = readonly (Problem | null)[]

export interface BatchOutcomes {
  begin(call: Call): BatchAttempt
  /** Answers 202, 207, or the one refusal that no valid item escaped. */
  settle(attempt: BatchAttempt, results: Results, requestId: string): Promise<Reply>
  /** Counts the refusal of a whole request and returns what to throw. Never throws itself. */
  refuse(attempt: BatchAttempt, error: unknown): Promise<unknown>
}

export function createBatchOutcomes(dependencies: {
  readonly outcomes: Outcomes
  readonly limitRate: LimitRate
  readonly metrics: Metrics
  readonly reportRefusal: ReportRefusal
  readonly facts: NoteFacts
}): BatchOutcomes {
  const { outcomes, limitRate, metrics, reportRefusal, facts } = dependencies

  function countEach(results: Results, requestId: string): number {
    let queued = 0
    for (const problem of results) {
      if (problem === null) queued += 1
      else {
        outcomes.count('rejected', problem.code)
        reportRefusal(problem, requestId)
      }
    }
    if (queued > 0) outcomes.count('queued', '', queued)
    metrics.observe('sluice_ingest_batch_decisions', {}, results.length)
    return queued
  }

  /** What refused items cost beyond the point that was taken for each. */
  async function chargeEach(attempt: BatchAttempt, results: Results): Promise<void> {
    const { principal, sizes } = attempt
    let points = 0
    for (const [index, problem] of results.entries()) {
      if (problem !== null) points += pointsOfRefusal(problem, sizes[index] ?? 0) - 1
    }
    if (principal !== null && points > 0) attempt.quota = await limitRate(principal, points)
  }

  return {
    begin: (call) => ({ ...outcomes.begin(call), items: [], sizes: [], ids: [], decisions: [] }),

    settle: async (attempt, results, requestId) => {
      const queued = countEach(results, requestId)
      facts.accepted(attempt, queued, attempt.items[0] ?? null)
      if (queued < results.length) {
        facts.refusedEach(attempt, results)
        await chargeEach(attempt, results)
      }
      const headers = attempt.quota?.headers ?? {}
      const whole = queued === 0 ? results.find(isRetryable) : undefined
      if (whole) return refusalOfAll({ attempt, results, whole, requestId })
      const body = `{"results":[${textsOf(attempt, results).join(',')}]}`
      const status = queued === results.length ? 202 : 207
      const retryAfter = retryAfterOf(results)
      return { status, headers: { ...jsonHeaders, ...headers, ...retryAfter }, body }
    },

    refuse: (attempt, error) => outcomes.refuse(attempt, error)
  }
}

function isRetryable(problem: Problem | null): boolean {
  return problem !== null && problems[problem.code].retryable
}

/** The longest that any item asks for: coming back earlier would be refused once more. */
function retryAfterOf(results: Results): Record<string, string> {
  const seconds = results.map((problem) => Number(problem?.options.headers?.['retry-after'] ?? 0))
  const longest = Math.max(0, ...seconds)
  return longest > 0 ? { 'retry-after': String(longest) } : {}
}

/** The ids travel with it, since a retry is only safe with the same ones. */
function refusalOfAll(settled: {
  readonly attempt: BatchAttempt
  readonly results: Results
  readonly whole: Problem
  readonly requestId: string
}): Reply {
  const { attempt, results, whole, requestId } = settled
  const items = results.flatMap((problem, index) =>
    problem === null ? [] : [refusalAt(attempt, index, problem)]
  )
  const headers = { ...attempt.quota?.headers, ...retryAfterOf(results) }
  return problemReply(whole.extended({ members: { results: items }, headers }), requestId)
}

function textsOf(attempt: BatchAttempt, results: Results): string[] {
  return results.map((problem, index) =>
    problem === null
      ? `{"index":${index},"decision_id":"${idAt(attempt, index)}","queued":true}`
      : JSON.stringify(refusalAt(attempt, index, problem))
  )
}

/** The request_id is that of the answer, so an item does not repeat it. */
function refusalAt(attempt: BatchAttempt, index: number, problem: Problem): object {
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
