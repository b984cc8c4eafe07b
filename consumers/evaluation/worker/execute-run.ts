/** Executes a run that this process has taken: claim ▶ judge ▶ finish ▶ publish.
 *
 * If a process is killed between two steps, its lease expires and another process continues: a call
 * that may have been made is repeated, and both calls are recorded. A run that has already ended is
 * published without calling the judge again.
 */
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import { isTransientPostgresError } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { retry } from '../../../platform/process/retry.ts'
import type { ClaimRun } from './claim.ts'
import type { ClaimedRun } from './claimed-run.ts'
import { countEnded } from './count-ended.ts'
import type { AttemptRun } from './attempt.ts'
import type { Finish, Finished } from './finish.ts'
import type { Leases } from './maintenance/leases.ts'
import type { PendingRun } from './pending-run.ts'
import type { PublishRuns } from './publish-runs.ts'
import { release } from './maintenance/release.ts'
import { giveBack } from './take-runs.ts'
import type { TakenRun } from './take-runs.ts'

interface ExecuteRunDependencies {
  readonly postgres: Postgres
  readonly claimRun: ClaimRun
  readonly attempt: AttemptRun
  readonly finish: Finish
  readonly publishRuns: PublishRuns
  readonly leases: Leases
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborted when shutdown stops waiting for calls. */
  readonly signal: AbortSignal
}

const storingFailed = 'Postgres is unavailable; retrying to store the end of a run'
const backoff = { baseMs: 100, capMs: 5000 }

/** Resolves when this process has nothing more to do for the run. Never rejects. */
type ExecuteRun = (taken: TakenRun) => Promise<void>

export function createExecuteRun(dependencies: ExecuteRunDependencies): ExecuteRun {
  const { postgres, claimRun, logger } = dependencies
  return async function executeRun(taken) {
    try {
      const claim = await postgres.transaction((transaction) => claimRun(transaction, taken))
      if (claim.kind === 'claimed') await work(dependencies, claim.claimed)
      else if (claim.kind === 'ended') await countAndPublish(dependencies, claim.run)
    } catch (error) {
      // Completed steps are stored, so the run continues with the next step once its lease expires.
      logger.warn({ error, run_id: taken.run_id }, 'cannot process a run; retrying')
      await giveBack(postgres, taken).catch(() => {})
    }
  }
}

async function work(dependencies: ExecuteRunDependencies, claimed: ClaimedRun): Promise<void> {
  const { leases } = dependencies
  leases.hold(claimed)
  const finished = await tryOnce(dependencies, claimed).finally(() => leases.letGo(claimed))
  if (finished.kind === 'ended') await countAndPublish(dependencies, finished.run)
}

async function tryOnce(
  dependencies: ExecuteRunDependencies,
  claimed: ClaimedRun
): Promise<Finished> {
  const { postgres, attempt, finish, signal, logger } = dependencies
  const attempted = await attempt(claimed).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return null
  })
  if (attempted === null) {
    await release(postgres, claimed)
    return { kind: 'waiting' }
  }
  // Keeps the reply of the judge, which may have cost money, while Postgres is unavailable.
  const onRetry = (error: unknown, count: number): void =>
    logger.warn({ error, attempt: count }, storingFailed)
  const options = { backoff, isTransient: isTransientPostgresError, signal, onRetry }
  return await retry(options, () => finish({ claimed, ...attempted }))
}

async function countAndPublish(
  { publishRuns, metrics, logger }: ExecuteRunDependencies,
  run: PendingRun
): Promise<void> {
  countEnded(metrics, [run])
  try {
    await publishRuns.all([run])
  } catch (error) {
    logger.warn({ error, run_id: run.run_id }, 'cannot publish an ended run; retrying later')
  }
}
