/** Lets runs of a connection go on: all of one that works again, one of each that may. */
import type { RunKey } from '../../../../core/evaluation/evaluation.ts'
import type { JobQueue } from '../../../../platform/postgres/job-queue.ts'
import type { Postgres, Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { ConnectionName } from './connections.ts'

export interface WakeDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<RunKey>, 'add'>
}

const connectionsMax = 50
/** Of a connection, in a round; a provider that is back is not run over. */
const runsMax = 500
const spreadMs = 1000
/** Whoever probes is drawn from so many, so that no broken evaluator is always the one. */
const candidatesMax = 1000

/** Also after the gateway closed a circuit, since its connection was mended. */
export async function releaseBlocked(dependencies: WakeDependencies): Promise<void> {
  const names = await dependencies.postgres.query<ConnectionName & Row>(
    `select organization_id, connection_id
       from connection_circuits as c
      where state = 'closed' and ${hasBlocked}
      limit $1`,
    [connectionsMax]
  )
  for (const name of names) await wake(dependencies, name, { runsMax, spreadMs, order: 'run_id' })
}

/**
 * One run for each connection whose time to probe has come. Runs that were planned meanwhile and
 * are due are probes as well: with one of those, nobody else is woken. One that is due for long may
 * have its job in a process that was killed, and is not waited for.
 */
export async function probeConnections(dependencies: WakeDependencies): Promise<void> {
  const names = await dependencies.postgres.query<ConnectionName & Row>(
    `select organization_id, connection_id
       from connection_circuits as c
      where state <> 'closed' and probe_at <= now() and ${hasBlocked}
        and not exists (select from open_runs as r
                         where r.organization_id = c.organization_id
                           and r.connection_id = c.connection_id
                           and r.status in ('scheduled', 'retrying')
                           and r.next_attempt_at between now() - interval '10 seconds' and now())
      limit $1`,
    [connectionsMax]
  )
  for (const name of names) {
    await wake(dependencies, name, { runsMax: 1, spreadMs: 0, order: 'random()' })
  }
}

const hasBlocked = `exists (select from open_runs as r
                     where r.organization_id = c.organization_id
                       and r.connection_id = c.connection_id and r.status = 'blocked')`

interface Waking {
  readonly runsMax: number
  readonly spreadMs: number
  readonly order: 'run_id' | 'random()'
}

async function wake(
  { postgres, queue }: WakeDependencies,
  name: ConnectionName,
  waking: Waking
): Promise<void> {
  await postgres.transaction(async (transaction) => {
    const runs = await schedule(transaction, name, waking)
    await queue.add(
      transaction,
      runs.map(({ next_attempt_at, organization_id, decision_id, run_id }) => ({
        key: { organization_id, decision_id, run_id },
        startAfter: next_attempt_at
      }))
    )
  })
}

async function schedule(
  transaction: Queryable,
  { organization_id, connection_id }: ConnectionName,
  { runsMax, spreadMs, order }: Waking
) {
  return await transaction.query<RunKey & Row & { next_attempt_at: Date }>(
    `update open_runs as r
        set status = 'scheduled',
            status_reason = null,
            queued_at = now(),
            next_attempt_at = now() + random() * $4 * interval '1 millisecond'
       from (select o, d, i
               from (select organization_id as o, decision_id as d, run_id as i
                       from open_runs
                      where organization_id = $1 and connection_id = $2 and status = 'blocked'
                      limit $5
                        for update skip locked) as candidates
              order by ${order === 'run_id' ? 'i' : order}
              limit $3) as woken
      where r.organization_id = o and r.decision_id = d and r.run_id = i
     returning organization_id, decision_id, run_id, next_attempt_at`,
    [organization_id, connection_id, runsMax, spreadMs, Math.max(runsMax, candidatesMax)]
  )
}
