/** Which evaluators call a connection. */
import type { EvaluatorReference } from '../../core/evaluation/rule.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import { readRules } from '../rules/rule-rows.ts'

interface ConnectionUser {
  readonly evaluator_id: string
  readonly name: string
}

interface JudgeRow extends Record<string, unknown>, ConnectionUser {
  readonly version: number
  readonly is_latest: boolean
  readonly config: string
}

/** Judges whose latest version calls it, or one that a rule names by its number. */
export async function readConnectionUsers(
  ours: OrganizationRows,
  connectionId: string
): Promise<ConnectionUser[]> {
  const rows = await ours.query<JudgeRow>(
    `select e.evaluator_id, e.name, v.version, v.version = e.version as is_latest, v.config
       from evaluators e
       join evaluator_versions v
         on v.organization_id = e.organization_id and v.evaluator_id = e.evaluator_id
      where e.organization_id = $1
        and e.deleted_at is null
        and v.kind = 'llm_judge'
        and strpos(v.config, $2) > 0
      order by e.name, v.version`,
    [ours.organizationId, connectionId]
  )
  const pinned = await readPinned(ours)
  const users = rows.filter(
    (row) => (row.is_latest || pinned.has(nameOf(row))) && connectionOf(row.config) === connectionId
  )
  const names = new Map(users.map(({ evaluator_id, name }) => [evaluator_id, name]))
  return [...names].map(([evaluator_id, name]) => ({ evaluator_id, name }))
}

async function readPinned(ours: OrganizationRows): Promise<ReadonlySet<string>> {
  const rules = await readRules(ours)
  return new Set(rules.flatMap(({ rule }) => rule.evaluators.map(nameOf)))
}

function nameOf({ evaluator_id, version }: EvaluatorReference): string {
  return `${evaluator_id} ${version}`
}

function connectionOf(config: string): unknown {
  return (JSON.parse(config) as { connection_id?: unknown }).connection_id
}
