/** Ends pending runs that have expired or were canceled. */
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { endRun } from '../end-run.ts'
import { pendingRunColumns } from '../pending-run.ts'
import type { PendingRun } from '../pending-run.ts'
import { canceledEnd, expiredEnd } from '../settlement.ts'

/** Maximum number of runs per transaction. */
const runsMax = 200

const expired = `status <> 'finished' and expires_at <= now()`
const canceled = `status <> 'finished' and cancel_requested_at is not null`
/**
 * Excludes runs whose call is in progress. They end after the call, so that its cost is recorded
 * with the run.
 */
const isNotUnderWay = `(status <> 'running' or coalesce(lease_expires_at, now()) <= now())`

/** @returns the ended runs, which the caller must publish */
export async function endExpired(postgres: Postgres): Promise<PendingRun[]> {
  return await endAll(postgres, expired)
}

export async function endCanceled(postgres: Postgres): Promise<PendingRun[]> {
  return await endAll(postgres, canceled)
}

async function endAll(postgres: Postgres, condition: string): Promise<PendingRun[]> {
  return await postgres.transaction(async (transaction) => {
    const runs = await transaction.query<PendingRun>(
      `select ${pendingRunColumns}
         from pending_runs
        where ${condition} and ${isNotUnderWay}
        limit $1
          for update skip locked`,
      [runsMax]
    )
    const ended: PendingRun[] = []
    for (const run of runs) {
      const end = run.cancel_requested_at === null ? expiredEnd(run) : canceledEnd(run)
      const claim = await endRun(transaction, run, end)
      if (claim.kind === 'ended') ended.push(claim.run)
    }
    return ended
  })
}
