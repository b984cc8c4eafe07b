/** Updates the metrics of pending runs, open circuits and deferred decisions. */
import type { PendingStatus } from '../pending-run.ts'
import type { WorkerContext } from '../worker-context.ts'

const statuses: readonly PendingStatus[] = [
  'scheduled',
  'running',
  'retrying',
  'blocked',
  'finished'
]

/**
 * Counts the connections with an open circuit and at least one run that is blocked or that probes.
 * Without such a run, nothing probes the connection, so its circuit stays open without any effect.
 */
const countBlocked = `
  select count(*)::integer as connections
    from connection_circuits join evaluation_connections as c using (organization_id, connection_id)
   where state <> 'closed' and c.deleted_at is null
     and exists (select from pending_runs as r
                  where r.organization_id = c.organization_id
                    and r.connection_id = c.connection_id
                    and r.status in ('blocked', 'scheduled', 'running'))`

/** Maximum number of deferred decisions to count. */
const deferredMax = 100_000

export async function measureRuns({ postgres, metrics }: WorkerContext): Promise<void> {
  const rows = await postgres.query<{ status: string; runs: number }>(
    `select status, count(*)::integer as runs from pending_runs group by status`
  )
  const counts = new Map(rows.map(({ status, runs }) => [status, runs]))
  for (const status of statuses) {
    metrics.set('sluice_pending_runs', { status }, counts.get(status) ?? 0)
  }
  const [blocked] = await postgres.query<{ connections: number }>(countBlocked)
  metrics.set('sluice_connection_circuits_open', {}, blocked?.connections ?? 0)
  const [deferred] = await postgres.query<{ decisions: number }>(
    `select count(*)::integer as decisions
       from (select from deferred_decisions limit $1) as counted`,
    [deferredMax]
  )
  metrics.set('sluice_deferred_decisions', {}, deferred?.decisions ?? 0)
}
