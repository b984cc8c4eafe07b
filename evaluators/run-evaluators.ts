/** Runs evaluators on decisions, each run to its one outcome; none holds the others up. */
import { CpuLimitError, cpuLimit } from '../platform/validation/cpu-limit.ts'
import type { CpuLimit } from '../platform/validation/cpu-limit.ts'
import { EvaluatorFailure } from './evaluator.ts'
import type { CompiledEvaluator, FailureReason, Finding, SkipReason } from './evaluator.ts'
import { createPatience } from './patience.ts'
import type { Patience } from './patience.ts'
import type { Subject } from './subject.ts'

export interface Job {
  readonly evaluator: CompiledEvaluator
  readonly subject: Subject
}

export type Outcome = Result & { readonly duration_us: number }

type Result =
  | { readonly status: 'succeeded'; readonly finding: Finding }
  | { readonly status: 'skipped'; readonly status_reason: SkipReason }
  | { readonly status: 'failed'; readonly status_reason: FailureReason; readonly error: Error }

/** Of what customers wrote, so many milliseconds run under one watch. */
const batchMs = 100
/** After so many timeouts in a row an evaluator rests until the next batch, or for longer. */
const timeoutsMax = 3
/** Where a run did not compute half of its time, the machine was busy and not the evaluator. */
const triesMax = 4

/**
 * One outcome for each job, in their order. Never throws. What broke an evaluator may quote the
 * decision: its message is for nobody to read. Who has several batches hands in one `patience`, or
 * what hangs costs as much in each of them.
 */
export function runEvaluators(
  jobs: readonly Job[],
  limit: CpuLimit = cpuLimit,
  patience: Patience = createPatience()
): Outcome[] {
  const outcomes = jobs.map((job) => (job.evaluator.isBounded ? outcomeOf(job) : undefined))
  const timeouts = new Map<CompiledEvaluator, number>()
  for (let next = nextOpen(); next >= 0; next = nextOpen()) {
    tryBatch(next)
    const stopped = nextOpen()
    if (stopped >= 0) outcomes[stopped] = alone(jobs[stopped] as Job)
  }
  return outcomes as Outcome[]

  function nextOpen(): number {
    return outcomes.indexOf(undefined)
  }

  function tryBatch(start: number): void {
    try {
      limit(() => runFrom(start), batchMs)
    } catch (error) {
      if (!(error instanceof CpuLimitError)) throw error
    }
  }

  /** Ends before one that was late already. What the limit interrupts leaves no outcome. */
  function runFrom(start: number): void {
    for (let at = start; at < jobs.length; at++) {
      const job = jobs[at] as Job
      if (outcomes[at] === undefined && isSuspect(job)) return
      outcomes[at] ??= outcomeOf(job)
    }
  }

  function isSuspect({ evaluator, subject }: Job): boolean {
    return timeouts.has(evaluator) || patience.isOver(organizationOf(subject), evaluator)
  }

  function alone(job: Job): Outcome {
    const { evaluator } = job
    const organizationId = organizationOf(job.subject)
    const late = timeouts.get(evaluator) ?? 0
    if (late >= timeoutsMax || patience.isOver(organizationId, evaluator)) return resting
    const startedAt = performance.now()
    const outcome = outcomeWithin(limit, job)
    if (isTimeout(outcome)) {
      timeouts.set(evaluator, late + 1)
      patience.lose(organizationId, evaluator, performance.now() - startedAt + batchMs)
    } else timeouts.delete(evaluator)
    return outcome
  }
}

function organizationOf({ decision }: Subject): string {
  return decision.organization_id
}

function isTimeout(outcome: Outcome): boolean {
  return outcome.status === 'failed' && outcome.status_reason === 'code_timeout'
}

function outcomeWithin(limit: CpuLimit, job: Job): Outcome {
  const { timeout_ms } = job.evaluator.version
  for (let tries = 1; ; tries++) {
    try {
      return limit(() => outcomeOf(job), timeout_ms)
    } catch (error) {
      if (!(error instanceof CpuLimitError)) throw error
      if (error.computedMs * 2 < timeout_ms && tries < triesMax) continue
      return { ...failure('code_timeout', error), duration_us: timeout_ms * 1000 }
    }
  }
}

const resting: Outcome = Object.freeze({
  ...failure('code_timeout', new Error('it took too long on the decisions before this one')),
  duration_us: 0
})

function failure(reason: FailureReason, error: unknown) {
  return { status: 'failed', status_reason: reason, error: error as Error } as const
}

function outcomeOf(job: Job): Outcome {
  const startedAt = performance.now()
  const result = resultOf(job)
  return { ...result, duration_us: Math.round((performance.now() - startedAt) * 1000) }
}

/** One evaluator's bug costs its own score and no other. */
function resultOf({ evaluator, subject }: Job): Result {
  try {
    const found = evaluator.evaluate(subject)
    if (found.kind === 'finding') return { status: 'succeeded', finding: found }
    return { status: 'skipped', status_reason: found.status_reason }
  } catch (error) {
    const reason = error instanceof EvaluatorFailure ? error.status_reason : 'code_error'
    return failure(reason, error)
  }
}
