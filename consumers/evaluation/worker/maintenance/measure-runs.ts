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
  const [open] = await postgres.query<{ connections: number }>(
    `select count(*)::integer as connections from connection_circuits where state <> 'closed'`
  )
  metrics.set('sluice_connection_circuits_open', {}, open?.connections ?? 0)
  const [deferred] = await postgres.query<{ decisions: number }>(
    `select count(*)::integer as decisions
       from (select from deferred_decisions limit $1) as counted`,
    [deferredMax]
  )
  metrics.set('sluice_deferred_decisions', {}, deferred?.decisions ?? 0)
}
