/** A connection that is reached in another way is tried again at once. */
import type { Edit } from '../configuration/take-turn.ts'

/** Closes its circuit, and lets go the runs that waited for that: those find out how it is. */
export async function closeCircuit(edit: Edit, connectionId: string): Promise<void> {
  const values = [edit.organizationId, connectionId]
  await edit.query(
    `insert into connection_circuits (organization_id, connection_id)
     values ($1, $2)
     on conflict (organization_id, connection_id) do update
        set state = 'closed', reason = null, since = now(), probe_at = now(), probes = 0,
            failures_in_row = 0, paused_until = null`,
    values
  )
  await edit.query(
    `update open_runs
        set status = case when attempts = 0 then 'scheduled' else 'retrying' end,
            status_reason = null, next_attempt_at = now(), queued_at = null
      where organization_id = $1 and connection_id = $2 and status = 'blocked'`,
    values
  )
}
