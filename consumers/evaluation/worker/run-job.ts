/** The path of a job: claim ▶ judge ▶ finish ▶ publish ▶ complete.
 *
 * A job is a hint that a run may be due, and may come twice; what is true of the run stands in
 * `open_runs`. A process that is killed between two steps leaves a lease that lapses: before the
 * call nothing has happened, behind it the call is made again, and each is on record. A run that
 * has ended is never called again, only published.
 */
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import { systemClock } from '../../../platform/process/clock.ts'
import type { Job, JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { ClaimRun } from './claim.ts'
import type { Claim, ClaimedRun } from './claimed-run.ts'
import { countEnded } from './count-ended.ts'
import type { Attempt } from './attempt.ts'
import type { Finish, Finished } from './finish.ts'
import type { HeldRun, Leases } from './maintenance/leases.ts'
import type { OpenRun } from './open-run.ts'
import type { Persistently } from './persistently.ts'
import type { PublishRuns } from './publish-runs.ts'
import { release } from './maintenance/release.ts'

export interface RunJobDependencies {
  readonly postgres: Postgres
  readonly queue: JobQueue<RunKey>
  readonly claimRun: ClaimRun
  readonly attempt: Attempt
  readonly finish: Finish
  readonly publishRuns: PublishRuns
  readonly persistently: Persistently
  readonly leases: Leases
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborted when the process cannot wait for calls any longer. */
  readonly signal: AbortSignal
}

/** Resolves when nothing more is done about it here; never rejects. */
export type RunJob = (job: Job<RunKey>) => Promise<void>

export function createRunJob(dependencies: RunJobDependencies): RunJob {
  const { postgres, queue, logger } = dependencies
  return async function runJob(job) {
    try {
      const claim = await takeUp(dependencies, job)
      if (claim.kind === 'claimed') await work(dependencies, claim.claimed, job)
      else if (claim.kind === 'ended') await publishAndComplete(dependencies, claim.run, job)
    } catch (error) {
      // What is written down stays true; whoever has the next job goes on from there.
      logger.warn({ error, run_id: job.key.run_id }, 'a run was left where it stands')
      await queue.later(job, soon(), postgres).catch(() => {})
    }
  }
}

const soonMs = 5000

function soon(): Date {
  return new Date(systemClock.now() + soonMs * Math.random())
}

async function takeUp(dependencies: RunJobDependencies, job: Job<RunKey>): Promise<Claim> {
  const { postgres, queue, claimRun, metrics } = dependencies
  const claim = await postgres.transaction(async (transaction) => {
    const found = await claimRun(transaction, job.key)
    if (found.kind === 'later') await queue.later(job, found.at, transaction)
    if (found.kind === 'done') await queue.complete(job, transaction)
    return found
  })
  if (claim.kind === 'ended' && claim.isNew) countEnded(metrics, [claim.run])
  return claim
}

async function work(
  dependencies: RunJobDependencies,
  claimed: ClaimedRun,
  job: Job<RunKey>
): Promise<void> {
  const { leases, metrics } = dependencies
  const held = { claimed, job }
  leases.hold(held)
  const finished = await tryOnce(dependencies, held).finally(() => leases.letGo(held))
  if (finished.kind !== 'ended') return
  countEnded(metrics, [finished.run])
  await publishAndComplete(dependencies, finished.run, job)
}

async function tryOnce(dependencies: RunJobDependencies, held: HeldRun): Promise<Finished> {
  const { attempt, finish, persistently, signal } = dependencies
  const attempted = await attempt(held.claimed).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return null
  })
  if (attempted === null) {
    await release(dependencies, held)
    return { kind: 'waiting' }
  }
  // An answer that was paid for is not thrown away because the store is away for a while.
  return await persistently(() => finish({ ...held, ...attempted }))
}

async function publishAndComplete(
  { publishRuns, queue, logger }: RunJobDependencies,
  run: OpenRun,
  job: Job<RunKey>
): Promise<void> {
  try {
    await publishRuns.all([run])
  } catch (error) {
    logger.warn({ error, run_id: run.run_id }, 'a run that ended is published later')
  }
  await queue.complete(job)
}
