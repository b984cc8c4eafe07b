/** Computing whose cost a tenant decides: beside the event loop, in turns, within an allowance.
 *
 *     check, try ─▶ allowance ─▶ the organization's turn ─▶ the thread, one task at a time
 *                   429 spent     503 waited too long        charged for what it computed
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { Problem } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'
import { createComputeThread } from '../../platform/process/compute-thread.ts'
import { CpuLimitError } from '../../platform/validation/cpu-limit.ts'
import { createFairShare } from '../../http/admission/fair-share.ts'
import type { Pause } from '../../http/admission/fair-share.ts'
import { createComputeAllowance } from './compute-allowance.ts'
import type { ComputeTasks } from './compute-tasks.ts'

export interface TenantCompute {
  /** Everything that is wrong with the body of an evaluator. @throws {Problem} 429, 503 */
  check(organizationId: string, body: unknown): Promise<readonly Violation[]>
  /** One evaluator that needs no network, on one decision. @throws {Problem} 429, 503 */
  try(version: EvaluatorVersion, decision: Decision): Promise<Tried>
  /** `refuseSpent` is called before a body is read; `spend` is for work on the event loop. */
  readonly allowance: { refuseSpent(organizationId: string): void; spend: Spend }
  close(): Promise<void>
}

export type Tried = ReturnType<ComputeTasks['try']>
type Spend = (organizationId: string, ms: number) => void

const what = 'checks and trials of evaluators'
/** Of one organization, in the thread or waiting for it. */
const atOnceMax = 1
const waitingMax = 20
const waitMsMax = 10_000
/** Long, because the thread occupies a core. */
const pause: Pause = (workedMs) => Math.min(5 * workedMs, 500)
/** A check compiles what an evaluation compiles, so it may take as long. */
const checkMsMax = 1000
/** Compiling, and one run that times out. */
const tryMsMax = 3000

export function createTenantCompute(): TenantCompute {
  const thread = createComputeThread<ComputeTasks>(new URL('compute-tasks.ts', import.meta.url))
  const inShare = createFairShare({ what, atOnceMax, waitingMax, waitMsMax, pause })
  const allowance = createComputeAllowance()

  /** Null when it took too long. What was computed is charged, whatever came of it. */
  async function run<Name extends keyof ComputeTasks>(
    organizationId: string,
    name: Name,
    { input, limitMs }: { input: Parameters<ComputeTasks[Name]>[0]; limitMs: number }
  ): Promise<ReturnType<ComputeTasks[Name]> | null> {
    return inShare(organizationId, async () => {
      // Checked again: calls ahead of it in the queue may have used the compute time.
      refuseSpent(organizationId)
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

  function refuseSpent(organizationId: string): void {
    const seconds = allowance.secondsToWait(organizationId)
    if (seconds > 0) throw computeLimited(seconds)
  }

  return {
    check: async (organizationId, input) => {
      return (await run(organizationId, 'check', { input, limitMs: checkMsMax })) ?? tooSlow
    },
    try: async (version, decision) => {
      const { organization_id: organizationId } = decision
      const trial = { input: { version, decision }, limitMs: tryMsMax }
      return (await run(organizationId, 'try', trial)) ?? timeout
    },
    allowance: { refuseSpent, spend: allowance.spend },
    close: thread.close
  }
}

const tooSlow = [{ pointer: '/config', detail: 'takes too long to check; make it smaller' }]
const timeout: Tried = {
  ...{ status: 'failed', status_reason: 'code_timeout' },
  duration_us: tryMsMax * 1000
}

function computeLimited(seconds: number): Problem {
  return new Problem('compute_limited', {
    detail:
      'Your organization has used its 1 second of compute time per minute on this instance, for ' +
      `evaluator checks and trials and rule previews. Retry in ${seconds} s; ` +
      'smaller patterns and schemas need less time.',
    headers: { 'retry-after': String(seconds) }
  })
}
