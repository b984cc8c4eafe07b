/** The worker: runs that need the network, or were asked for again, to their ends. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { jobLeaseSeconds } from '../../../platform/postgres/job-queue.ts'
import type { JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { Publish } from '../publish.ts'
import { createAttempt } from './attempt.ts'
import { createClaimRun } from './claim.ts'
import { createFinish } from './finish.ts'
import type { EvaluateOffline, Judge } from './judge-outcome.ts'
import { createLeases } from './maintenance/leases.ts'
import { pause } from './pause.ts'
import { createPersistently } from './persistently.ts'
import { createPublishRuns } from './publish-runs.ts'
import { createReadVersion } from './read-version.ts'
import { createRunJob } from './run-job.ts'
import { startUpkeep } from './maintenance/upkeep.ts'
import { startWorkLoop } from './work-loop.ts'
import type { WorkLoop } from './work-loop.ts'

export interface WorkerContext {
  readonly postgres: Postgres
  readonly queue: JobQueue<RunKey>
  readonly publish: Publish
  readonly judge: Judge
  readonly evaluate: EvaluateOffline
  readonly isOwnCall: (decision: Decision) => boolean
  /** Evaluators that every organization has, without a row. */
  readonly builtIn: readonly EvaluatorVersion[]
  /** Runs under way at once; with 0 this process only keeps the table. */
  readonly concurrencyMax: number
  /** How long calls under way are waited for when it stops. */
  readonly drainMs: number
  readonly metrics: Metrics
  readonly logger: Logger
  /** As long as the lease of a job, unless a test cannot wait for that. */
  readonly leaseMs?: number
}

const defaultLeaseMs = jobLeaseSeconds * 1000

/** Begins at once; returns what stops it in order: no new jobs, calls under way, then the rest. */
export function startWorker(context: WorkerContext): () => Promise<void> {
  const { postgres, queue, concurrencyMax, logger, drainMs } = context
  const { leaseMs = defaultLeaseMs } = context
  const giveUp = new AbortController()
  const { signal } = giveUp
  const shared = { ...context, signal }
  const leases = createLeases({ postgres, queue, logger, leaseMs })
  const publishRuns = createPublishRuns(context)
  const readVersion = createReadVersion(context.builtIn)
  const runJob = createRunJob({
    ...{ ...shared, leases, publishRuns },
    claimRun: createClaimRun({ ...context, readVersion, leaseMs }),
    attempt: createAttempt(shared),
    finish: createFinish(context),
    persistently: createPersistently(shared)
  })
  const loop =
    concurrencyMax === 0 ? null : startWorkLoop({ queue, runJob, concurrencyMax, logger })
  const stopUpkeep = startUpkeep({ ...context, publishRuns })

  return async function stop() {
    await Promise.all([stopUpkeep(), loop?.stop()])
    if (loop !== null) await drain(loop, giveUp, drainMs)
    await leases.stop()
  }
}

/** What is not back in time is given up, and given back. */
async function drain(loop: WorkLoop, giveUp: AbortController, drainMs: number): Promise<void> {
  const drained = new AbortController()
  const settled = loop.settled().then(() => drained.abort())
  await pause(drainMs, drained.signal)
  giveUp.abort(new Error('the process is told to stop'))
  await settled
}
