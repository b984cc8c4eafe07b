/** Runs tenants' computations in a separate thread, with a queue per organization.
 *
 *     check, try ─▶ compute allowance ─▶ queue of the organization ─▶ thread, one task at a time
 *                   429 if used up       503 after 10 s of waiting    charges the computed time
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { Problem } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'
import { createFairShare } from '../../http/admission/fair-share.ts'
import { createCache } from '../../platform/process/cache.ts'
import { createComputeThread } from '../../platform/process/compute-thread.ts'
import { CpuLimitError } from '../../platform/validation/cpu-limit.ts'
import type { ComputeTasks } from './compute-tasks.ts'

export interface TenantCompute {
  /**
   * Validates an evaluator body and returns all violations.
   * @throws {Problem} 429, 503
   */
  check(organizationId: string, body: unknown): Promise<readonly Violation[]>
  /**
   * Tries an evaluator on one decision. The evaluator must be of a kind that needs no network.
   * @throws {Problem} 429, 503
   */
  try(version: EvaluatorVersion, decision: Decision): Promise<TrialResult>
  readonly allowance: ComputeAllowance
  close(): Promise<void>
}

type TrialResult = ReturnType<ComputeTasks['try']>

/** The compute time per minute that an organization can use. */
interface ComputeAllowance {
  /**
   * Call this before reading a body.
   * @throws {Problem} 429 if the compute time is used up
   */
  refuseSpent(organizationId: string): void
  /** Call this after computing on the event loop. */
  spend(organizationId: string, ms: number): void
}

const windowMs = 60_000
const computeMsMax = 1000
/**
 * Maximum number of tracked organizations. Beyond it, the least recently used one is dropped and
 * gets a new allowance.
 */
const organizationsMax = 10_000

/**
 * Maximum number of tasks of one organization that run in the thread or wait for it. Further tasks
 * wait in the organization's queue.
 */
const atOnceMax = 1
const waitingMax = 20
const waitMsMax = 10_000
/**
 * Time limit of a check in milliseconds. Equals the compile limit of evaluations, which compile the
 * same patterns.
 */
const checkMsMax = 1000
/** Time limit of a trial in milliseconds. Allows for compilation and one run that times out. */
const tryMsMax = 3000

/** @param now a monotonic clock, in milliseconds */
export function createTenantCompute(now = () => performance.now()): TenantCompute {
  const thread = createComputeThread<ComputeTasks>(new URL('compute-tasks.ts', import.meta.url))
  const allowance = createAllowance(now)
  const inShare = createFairShare({
    what: 'evaluator checks and tests',
    atOnceMax,
    waitingMax,
    waitMsMax,
    // The pauses are long, because the thread occupies a whole core.
    pause: (workedMs) => Math.min(5 * workedMs, 500)
  })

  /**
   * Runs a task in the thread and charges its compute time, even if the task exceeds its time
   * limit.
   * @returns null if the task exceeded the limit
   */
  async function run<Name extends keyof ComputeTasks>(
    organizationId: string,
    name: Name,
    { input, limitMs }: { input: Parameters<ComputeTasks[Name]>[0]; limitMs: number }
  ): Promise<ReturnType<ComputeTasks[Name]> | null> {
    return inShare(organizationId, async () => {
      // Check again: earlier tasks in the queue may have used up the compute time.
      allowance.refuseSpent(organizationId)
      try {
        const { output, computedMs } = await thread.run(name, input, limitMs)
        allowance.spend(organizationId, computedMs)
        return output
      } catch (error) {
        if (!(error instanceof CpuLimitError)) throw error
        allowance.spend(organizationId, error.computedMs)
        return null
      }
    })
  }

  return {
    check: async (organizationId, input) =>
      (await run(organizationId, 'check', { input, limitMs: checkMsMax })) ?? tooSlow,
    try: async (version, decision) => {
      const { organization_id: organizationId } = decision
      const trial = { input: { version, decision }, limitMs: tryMsMax }
      return (await run(organizationId, 'try', trial)) ?? timeout
    },
    allowance,
    close: thread.close
  }
}

function createAllowance(now: () => number): ComputeAllowance {
  const accounts = createCache<{ readonly endsAt: number; spentMs: number }>(organizationsMax)

  function accountOf(organizationId: string) {
    const found = accounts.get(organizationId)
    const isCurrent = found !== undefined && found.endsAt > now()
    return isCurrent ? found : { endsAt: now() + windowMs, spentMs: 0 }
  }

  return {
    refuseSpent: (organizationId) => {
      const { spentMs, endsAt } = accountOf(organizationId)
      if (spentMs >= computeMsMax) throw computeLimited(Math.ceil((endsAt - now()) / 1000))
    },
    spend: (organizationId, ms) => {
      const account = accountOf(organizationId)
      account.spentMs += ms
      accounts.set(organizationId, account)
    }
  }
}

const tooSlow = [{ pointer: '/config', detail: 'takes too long to check; make it smaller' }]
const timeout: TrialResult = {
  status: 'failed',
  status_reason: 'code_timeout',
  duration_us: tryMsMax * 1000
}

function computeLimited(seconds: number): Problem {
  return new Problem('compute_limited', {
    detail:
      'Your organization has used its 1 second of compute time per minute on this instance, ' +
      `for evaluator checks, evaluator tests and rule previews. Retry in ${seconds} s; ` +
      'smaller patterns and schemas need less time.',
    headers: { 'retry-after': String(seconds) }
  })
}
