/** Schedules blocked runs: all runs of a connection that works again, or one run as a probe. */
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { ConnectionName } from './connections.ts'

const connectionsMax = 50
/**
 * Maximum number of runs per connection and round, so that a recovering provider is not overloaded.
 */
const runsMax = 500
const spreadMs = 1000
/**
 * Maximum number of runs from which a probe is chosen. The choice is random, because otherwise
 * every probe could be a run of the same broken evaluator.
 */
const candidatesMax = 1000

/**
 * Releases the blocked runs of connections with a closed circuit. The gateway closes a circuit when
 * its connection is deleted, or when the URL or API key of the connection changes.
 */
export async function releaseBlocked(postgres: Queryable): Promise<void> {
  const names = await postgres.query<ConnectionName & Row>(
    `select organization_id, connection_id
       from connection_circuits as c
      where state = 'closed' and ${hasBlocked}
      limit $1`,
    [connectionsMax]
  )
  for (const name of names) await wake(postgres, name, { runsMax, spreadMs, order: 'run_id' })
}

/**
 * Schedules one blocked run for each connection with a due probe, unless another run of the
 * connection is already due and serves as the probe. A run that has been due for over 10 seconds is
 * ignored, because its claim may fail each time.
 */
export async function probeConnections(postgres: Queryable): Promise<void> {
  const names = await postgres.query<ConnectionName & Row>(
    `select organization_id, connection_id
       from connection_circuits as c
      where state <> 'closed' and probe_at <= now() and ${hasBlocked}
        and not exists (select from pending_runs as r
                         where r.organization_id = c.organization_id
                           and r.connection_id = c.connection_id
                           and r.status in ('scheduled', 'retrying')
                           and r.next_attempt_at between now() - interval '10 seconds' and now())
      limit $1`,
    [connectionsMax]
  )
  for (const name of names) {
    await wake(postgres, name, { runsMax: 1, spreadMs: 0, order: 'random()' })
  }
}

const hasBlocked = `exists (select from pending_runs as r
                     where r.organization_id = c.organization_id
                       and r.connection_id = c.connection_id and r.status = 'blocked')`

interface Waking {
  readonly runsMax: number
  readonly spreadMs: number
  readonly order: 'run_id' | 'random()'
}

async function wake(
  postgres: Queryable,
  { organization_id, connection_id }: ConnectionName,
  { runsMax, spreadMs, order }: Waking
): Promise<void> {
  await postgres.query(
    `update pending_runs as r
        set status = 'scheduled',
            status_reason = null,
            next_attempt_at = now() + random() * $4 * interval '1 millisecond'
       from (select o, d, i
               from (select organization_id as o, decision_id as d, run_id as i
                       from pending_runs
                      where organization_id = $1 and connection_id = $2 and status = 'blocked'
                      limit $5
                        for update skip locked) as candidates
              order by ${order === 'run_id' ? 'i' : order}
              limit $3) as woken
      where r.organization_id = o and r.decision_id = d and r.run_id = i`,
    [organization_id, connection_id, runsMax, spreadMs, Math.max(runsMax, candidatesMax)]
  )
}
