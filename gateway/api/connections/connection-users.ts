/** Which evaluators call a connection. */
import type { OrganizationRows } from '../configuration/take-turn.ts'

interface ConnectionUser {
  readonly evaluator_id: string
  readonly name: string
}

interface JudgeRow extends Record<string, unknown>, ConnectionUser {
  readonly config: string
}

/** Judges whose latest version calls it; what rules name of older versions counts as well. */
export async function readConnectionUsers(
  ours: OrganizationRows,
  connectionId: string
): Promise<ConnectionUser[]> {
  // Every version of what exists: one that a rule pins may be any of them.
  const rows = await ours.query<JudgeRow>(
    `select e.evaluator_id, e.name, v.config
       from evaluators e
       join evaluator_versions v
         on v.organization_id = e.organization_id and v.evaluator_id = e.evaluator_id
      where e.organization_id = $1
        and e.deleted_at is null
        and v.kind = 'llm_judge'
        and strpos(v.config, $2) > 0
        and (v.version = e.version or exists (
              select from evaluation_rules r
               where r.organization_id = e.organization_id
                 and r.deleted_at is null
                 and strpos(r.definition, e.evaluator_id) > 0))
      order by e.name, v.version`,
    [ours.organizationId, connectionId]
  )
  const users = rows.filter(({ config }) => connectionOf(config) === connectionId)
  const names = new Map(users.map(({ evaluator_id, name }) => [evaluator_id, name]))
  return [...names].map(([evaluator_id, name]) => ({ evaluator_id, name }))
}

function connectionOf(config: string): unknown {
  return (JSON.parse(config) as { connection_id?: unknown }).connection_id
}
