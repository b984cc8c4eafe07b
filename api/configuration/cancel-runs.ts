/** What was planned and nobody has begun is not done once what it needs is off or gone. */
import type { Edit } from './take-turn.ts'

/** Columns of open runs by which a change chooses what it puts an end to. */
type Cause = 'rule_id' | 'evaluator_id' | 'connection_id'

/** Only says so: whoever runs them ends them, each with its record. */
export async function cancelRuns(
  edit: Edit,
  [cause, id]: readonly [Cause, string],
  reason: 'disabled' | 'deleted'
): Promise<void> {
  await edit.query(
    `update open_runs
        set cancel_requested_at = now(), cancel_reason = $3
      where organization_id = $1
        and ${cause} = $2
        and status <> 'finished'
        and cancel_requested_at is null`,
    [edit.organizationId, id, reason]
  )
}
