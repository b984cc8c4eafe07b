/** What became of a batch: one outcome for each item, counted, and the answer that says so. */
import { Problem, problemBody, problems } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { jsonHeaders } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import { problemReply } from '../../http/reply/problem-reply.ts'
import type { ReportRefusal } from '../../http/admission/report-refusals.ts'
import type { BatchAttempt } from './attempt.ts'
import type { NoteFacts } from './note-facts.ts'
import type { Outcomes } from './outcomes.ts'

/** For each item why it is not on the log, or null when it is. */
export type Results = readonly (Problem | null)[]

export interface BatchOutcomes {
  begin(call: Call): BatchAttempt
  /** Answers 202, 207, or the one refusal that no valid item escaped. */
  settle(attempt: BatchAttempt, results: Results, requestId: string): Reply
  /** Counts the refusal of a whole request and returns what to throw. Never throws itself. */
  refuse(attempt: BatchAttempt, error: unknown): Promise<unknown>
}

export function createBatchOutcomes(dependencies: {
  readonly outcomes: Outcomes
  readonly metrics: Metrics
  readonly reportRefusal: ReportRefusal
  readonly facts: NoteFacts
}): BatchOutcomes {
  const { outcomes, metrics, reportRefusal, facts } = dependencies

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

  return {
    begin: (call) => ({ ...outcomes.begin(call), items: [], ids: [], decisions: [] }),

    settle: (attempt, results, requestId) => {
      const queued = countEach(results, requestId)
      facts.accepted(attempt, queued, attempt.items[0] ?? null)
      if (queued < results.length) facts.refusedEach(attempt, results)
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
  const items = textsOf(attempt, results).map((text) => JSON.parse(text) as object)
  const headers = { ...attempt.quota?.headers, ...retryAfterOf(results) }
  return problemReply(whole.extended({ members: { results: items }, headers }), requestId)
}

function textsOf({ decisions, ids }: BatchAttempt, results: Results): string[] {
  return results.map((problem, index) => {
    const decision = decisions[index]
    const known = decision instanceof Problem ? ids[index] : decision?.decision_id
    const decision_id = known ?? null
    if (problem === null) {
      return `{"index":${index},"decision_id":"${decision_id}","queued":true}`
    }
    return JSON.stringify({ index, decision_id, ...refusalOf(problem) })
  })
}

/** The request_id is that of the answer, so an item does not repeat it. */
function refusalOf(problem: Problem): object {
  const body = problemBody(problem, '')
  const retryable = body['retryable']
  delete body['request_id']
  delete body['retryable']
  return { queued: false, retryable, problem: body }
}
