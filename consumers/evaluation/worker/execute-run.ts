/** Executes a run that this process has taken: claim ▶ judge ▶ finish ▶ publish.
 *
 * If a process is killed between two steps, its lease expires and another process continues: a call
 * that may have been made is repeated, and both calls are recorded. A run that has already ended is
 * published without calling the judge again.
 */
import { isTransientPostgresError } from '../../../platform/postgres/postgres.ts'
import { retry } from '../../../platform/process/retry.ts'
import { attempt } from './attempt.ts'
import { claimRun } from './claim.ts'
import type { StepResult } from './end-run.ts'
import { finish, release } from './finish.ts'
import type { ClaimedRun, PendingRun } from './pending-run.ts'
import { publishEnded } from './publish-runs.ts'
import { giveBack } from './take-runs.ts'
import type { TakenRun } from './take-runs.ts'
import type { WorkerContext } from './worker-context.ts'

const storingFailed = 'Postgres is unavailable; retrying to store the end of a run'
const backoff = { baseMs: 100, capMs: 5000 }

/** Resolves when this process has nothing more to do for the run. Never rejects. */
export async function executeRun(context: WorkerContext, taken: TakenRun): Promise<void> {
  const { postgres, leases, logger } = context
  try {
    const claim = await postgres.transaction((transaction) => claimRun(context, transaction, taken))
    if (claim.kind === 'ended') await tryToPublish(context, claim.run)
    if (claim.kind !== 'claimed') return
    const { claimed } = claim
    leases.hold(claimed)
    const finished = await tryOnce(context, claimed).finally(() => leases.letGo(claimed))
    if (finished.kind === 'ended') await tryToPublish(context, finished.run)
  } catch (error) {
    // Completed steps are stored, so the run continues with the next step once its lease expires.
    logger.warn({ error, run_id: taken.run_id }, 'cannot process a run; retrying')
    await giveBack(postgres, taken).catch(() => {})
  }
}

async function tryOnce(context: WorkerContext, claimed: ClaimedRun): Promise<StepResult> {
  const { postgres, signal, logger } = context
  const attempted = await attempt(context, claimed).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return null
  })
  if (attempted === null) {
    await release(postgres, claimed)
    return { kind: 'done' }
  }
  // Keeps the reply of the judge, which may have cost money, while Postgres is unavailable.
  const onRetry = (error: unknown, count: number): void =>
    logger.warn({ error, attempt: count }, storingFailed)
  const options = { backoff, isTransient: isTransientPostgresError, signal, onRetry }
  return await retry(options, () => finish(postgres, { claimed, ...attempted }))
}

async function tryToPublish(context: WorkerContext, run: PendingRun): Promise<void> {
  try {
    await publishEnded(context, [run])
  } catch (error) {
    context.logger.warn(
      { error, run_id: run.run_id },
      'cannot publish an ended run; retrying later'
    )
  }
}
