/** Ends runs that wait for nothing any more: their time is over, or somebody canceled them. */
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { endRun } from '../end-run.ts'
import { openRunColumns } from '../open-run.ts'
import type { OpenRun } from '../open-run.ts'
import { canceledEnd, expiredEnd } from '../settlement.ts'

/** In one transaction. */
const runsMax = 200

const expired = `status <> 'finished' and expires_at <= now()`
const canceled = `status <> 'finished' and cancel_requested_at is not null`
/** Its call is waited for: what it cost belongs to the run. */
const isNotUnderWay = `(status <> 'running' or coalesce(lease_expires_at, now()) <= now())`

/** @returns the runs as they ended; they are to be published. */
export async function endExpired(postgres: Postgres): Promise<OpenRun[]> {
  return await endAll(postgres, expired)
}

export async function endCanceled(postgres: Postgres): Promise<OpenRun[]> {
  return await endAll(postgres, canceled)
}

async function endAll(postgres: Postgres, condition: string): Promise<OpenRun[]> {
  return await postgres.transaction(async (transaction) => {
    const runs = await transaction.query<OpenRun>(
      `select ${openRunColumns}
         from open_runs
        where ${condition} and ${isNotUnderWay}
        limit $1
          for update skip locked`,
      [runsMax]
    )
    const ended: OpenRun[] = []
    for (const run of runs) {
      const end = run.cancel_requested_at === null ? expiredEnd(run) : canceledEnd(run)
      const claim = await endRun(transaction, run, end)
      if (claim.kind === 'ended') ended.push(claim.run)
    }
    return ended
  })
}
