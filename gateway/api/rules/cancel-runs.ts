/** What a rule planned and nobody has begun is not done once the rule is off or gone. */
import type { Edit } from '../configuration/take-turn.ts'

/** Only says so: whoever runs them ends them, each with its record. */
export async function cancelRuns(
  edit: Edit,
  ruleId: string,
  reason: 'disabled' | 'deleted'
): Promise<void> {
  await edit.query(
    `update open_runs
        set cancel_requested_at = now(), cancel_reason = $3
      where organization_id = $1
        and rule_id = $2
        and status <> 'finished'
        and cancel_requested_at is null`,
    [edit.organizationId, ruleId, reason]
  )
}
