/** A connection that is reached in another way is tried again at once. */
import type { Edit } from '../configuration/take-turn.ts'

/** Closes its circuit; the worker lets go the runs that waited for that, a few at a time. */
export async function closeCircuit(edit: Edit, connectionId: string): Promise<void> {
  await edit.query(
    `insert into connection_circuits (organization_id, connection_id)
     values ($1, $2)
     on conflict (organization_id, connection_id) do update
        set state = 'closed', reason = null, since = now(), probe_at = now(), probes = 0,
            failures_in_row = 0, paused_until = null`,
    [edit.organizationId, connectionId]
  )
}
