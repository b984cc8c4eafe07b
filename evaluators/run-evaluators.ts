/** Runs evaluators on decisions and returns one result per run. Time limits bound how long a slow
 * evaluator delays the others.
 */
import { CpuLimitError, cpuLimit } from '../platform/validation/cpu-limit.ts'
import type { CpuLimit } from '../platform/validation/cpu-limit.ts'
import { EvaluatorFailure } from './evaluator.ts'
import type { CompiledEvaluator, FailureReason, Finding, SkipReason } from './evaluator.ts'
import { createTimeoutBudget } from './timeout-budget.ts'
import type { TimeoutBudget } from './timeout-budget.ts'
import type { Subject } from './subject.ts'

interface EvaluationJob {
  readonly evaluator: CompiledEvaluator
  readonly subject: Subject
}

export type EvaluatorResult = Result & { readonly duration_us: number }

type Result =
  | { readonly status: 'succeeded'; readonly finding: Finding }
  | { readonly status: 'skipped'; readonly status_reason: SkipReason }
  | { readonly status: 'failed'; readonly status_reason: FailureReason; readonly error: Error }

/**
 * Time limit in milliseconds for a batch of evaluators with patterns or schemas that a tenant
 * wrote.
 */
const batchMs = 100
/**
 * Number of consecutive timeouts after which the evaluator's remaining runs in the batch fail
 * immediately.
 */
const timeoutsMax = 3
/**
 * Maximum number of attempts for a run that timed out but computed for less than half of its time
 * limit, as happens on a busy machine.
 */
const triesMax = 4

/**
 * Returns one result per job, in order. Never throws. Do not show or log the message of an `error`,
 * which may quote the decision. Pass the same `timeoutBudget` to all batches; otherwise slow
 * evaluators cost the same time again in each batch.
 */
export function runEvaluators(
  jobs: readonly EvaluationJob[],
  limit: CpuLimit = cpuLimit,
  timeoutBudget: TimeoutBudget = createTimeoutBudget()
): EvaluatorResult[] {
  const results = jobs.map((job) => (job.evaluator.isBounded ? resultOf(job) : undefined))
  const timeouts = new Map<CompiledEvaluator, number>()
  for (let next = nextOpen(); next >= 0; next = nextOpen()) {
    tryBatch(next)
    const stopped = nextOpen()
    if (stopped >= 0) results[stopped] = alone(jobs[stopped] as EvaluationJob)
  }
  return results as EvaluatorResult[]

  function nextOpen(): number {
    return results.indexOf(undefined)
  }

  function tryBatch(start: number): void {
    try {
      limit(() => runFrom(start), batchMs)
    } catch (error) {
      if (!(error instanceof CpuLimitError)) throw error
    }
  }

  /**
   * Runs jobs in order. Stops at an evaluator that has already timed out or has spent its timeout
   * budget. A run that the time limit interrupts has no result.
   */
  function runFrom(start: number): void {
    for (let at = start; at < jobs.length; at++) {
      const job = jobs[at] as EvaluationJob
      if (results[at] === undefined && isSuspect(job)) return
      results[at] ??= resultOf(job)
    }
  }

  function isSuspect({ evaluator, subject }: EvaluationJob): boolean {
    return timeouts.has(evaluator) || timeoutBudget.isSpent(organizationOf(subject), evaluator)
  }

  function alone(job: EvaluationJob): EvaluatorResult {
    const { evaluator } = job
    const organizationId = organizationOf(job.subject)
    const late = timeouts.get(evaluator) ?? 0
    if (late >= timeoutsMax || timeoutBudget.isSpent(organizationId, evaluator)) return resting
    const startedAt = performance.now()
    const result = resultWithin(limit, job)
    if (isTimeout(result)) {
      timeouts.set(evaluator, late + 1)
      timeoutBudget.charge(organizationId, evaluator, performance.now() - startedAt + batchMs)
    } else timeouts.delete(evaluator)
    return result
  }
}

function organizationOf({ decision }: Subject): string {
  return decision.organization_id
}

function isTimeout(result: EvaluatorResult): boolean {
  return result.status === 'failed' && result.status_reason === 'code_timeout'
}

function resultWithin(limit: CpuLimit, job: EvaluationJob): EvaluatorResult {
  const { timeout_ms } = job.evaluator.version
  for (let tries = 1; ; tries++) {
    try {
      return limit(() => resultOf(job), timeout_ms)
    } catch (error) {
      if (!(error instanceof CpuLimitError)) throw error
      if (error.computedMs * 2 < timeout_ms && tries < triesMax) continue
      return { ...failure('code_timeout', error), duration_us: timeout_ms * 1000 }
    }
  }
}

const resting: EvaluatorResult = Object.freeze({
  ...failure('code_timeout', new Error('the evaluator timed out on earlier decisions')),
  duration_us: 0
})

function failure(reason: FailureReason, error: unknown) {
  return { status: 'failed', status_reason: reason, error: error as Error } as const
}

function resultOf(job: EvaluationJob): EvaluatorResult {
  const startedAt = performance.now()
  const result = untimedResultOf(job)
  return { ...result, duration_us: Math.round((performance.now() - startedAt) * 1000) }
}

/** Runs one job. An exception in an evaluator affects only its own score. */
function untimedResultOf({ evaluator, subject }: EvaluationJob): Result {
  try {
    const found = evaluator.evaluate(subject)
    if (found.kind === 'finding') return { status: 'succeeded', finding: found }
    return { status: 'skipped', status_reason: found.status_reason }
  } catch (error) {
    const reason = error instanceof EvaluatorFailure ? error.status_reason : 'code_error'
    return failure(reason, error)
  }
}
