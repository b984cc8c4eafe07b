/** Starts the worker, which executes pending runs: judge calls and replays. */
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { createLeases } from './maintenance/leases.ts'
import { pause } from '../../../platform/process/every.ts'
import { createReadVersion } from './read-version.ts'
import { executeRun } from './execute-run.ts'
import { startMaintenance } from './maintenance/maintenance.ts'
import { takeRuns } from './take-runs.ts'
import type { TakenRun } from './take-runs.ts'
import { startWorkLoop } from '../work-loop.ts'
import type { WorkLoop } from '../work-loop.ts'
import type { WorkerContext } from './worker-context.ts'

export interface WorkerOptions extends Omit<
  WorkerContext,
  'readVersion' | 'leaseMs' | 'leases' | 'signal'
> {
  /** Built-in evaluators. Every organization has them, and they are not stored in the database. */
  readonly builtIn: readonly EvaluatorVersion[]
  /** Maximum number of concurrent runs. 0 restricts this process to maintenance. */
  readonly concurrencyMax: number
  /** Maximum time in milliseconds that shutdown waits for calls in progress. */
  readonly drainMs: number
  /** Lease duration of a run whose call is in progress. Tests set a shorter one. */
  readonly leaseMs?: number
  /** Minimum pause between checks for due runs. Tests set a longer one. */
  readonly idleMs?: number
}

const defaultLeaseMs = 30_000
const defaultIdleMs = 250
/** Pauses are up to three times as long, so that processes look for due runs at different times. */
const idle = { jitter: 2, backoff: { baseMs: 500, capMs: 10_000 } }

/**
 * @returns a function that stops taking runs, waits for calls in progress, stops renewing leases,
 * and then resolves
 */
export function startWorker(options: WorkerOptions): () => Promise<void> {
  const { builtIn, concurrencyMax, drainMs, idleMs = defaultIdleMs, ...services } = options
  const { postgres, logger, leaseMs = defaultLeaseMs } = services
  const giveUp = new AbortController()
  const leases = createLeases({ postgres, logger, leaseMs })
  const context: WorkerContext = {
    ...services,
    leaseMs,
    leases,
    readVersion: createReadVersion(builtIn),
    signal: giveUp.signal
  }

  // Renews first. Otherwise, after an outage, runs in progress with an expired lease would be
  // taken and their calls repeated.
  async function take(runsMax: number) {
    await leases.refresh()
    return await takeRuns(postgres, runsMax)
  }

  const onError = (error: unknown) => logger.warn({ error }, 'cannot take runs; retrying')
  const work = (taken: TakenRun) => executeRun(context, taken)
  const loop =
    concurrencyMax === 0
      ? null
      : startWorkLoop({ take, work, concurrencyMax }, { ...idle, ms: idleMs, onError })
  const stopMaintenance = startMaintenance(context)

  return async function stop() {
    await Promise.all([stopMaintenance(), loop?.stop()])
    if (loop !== null) await drain(loop, giveUp, drainMs)
    await leases.stop()
  }
}

/** Waits for calls in progress. Abandons calls that do not end in time; their runs are released. */
async function drain(loop: WorkLoop, giveUp: AbortController, drainMs: number): Promise<void> {
  const drained = new AbortController()
  const settled = loop.settled().then(() => drained.abort())
  await pause(drainMs, drained.signal)
  giveUp.abort(new Error('the process is shutting down'))
  await settled
}
