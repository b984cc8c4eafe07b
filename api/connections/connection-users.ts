/** Which evaluators call a connection. */
import type { EvaluatorReference } from '../../core/evaluation/rule.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import { evaluatorsMax } from '../evaluators/evaluator-rows.ts'
import { readRules } from '../rules/rule-rows.ts'

interface ConnectionUser {
  readonly evaluator_id: string
  readonly name: string
}

/** Judges whose latest version calls it, or one that a rule names by its number. */
export async function readConnectionUsers(
  ours: OrganizationRows,
  connectionId: string
): Promise<ConnectionUser[]> {
  return await ours.query<ConnectionUser & Record<string, unknown>>(
    `select e.evaluator_id, e.name
       from evaluators e
       join evaluator_versions v
         on v.organization_id = e.organization_id and v.evaluator_id = e.evaluator_id
      where e.organization_id = $1
        and e.deleted_at is null
        and (v.version = e.version or concat(e.evaluator_id, ' ', v.version) = any($3))
        and v.kind = 'llm_judge'
        and v.config::json ->> 'connection_id' = $2
      group by e.evaluator_id, e.name
      order by e.name
      limit ${evaluatorsMax}`,
    [ours.organizationId, connectionId, await readPinned(ours)]
  )
}

async function readPinned(ours: OrganizationRows): Promise<readonly string[]> {
  const rules = await readRules(ours)
  return rules.flatMap(({ rule }) => rule.evaluators.map(nameOf))
}

function nameOf({ evaluator_id, version }: EvaluatorReference): string {
  return `${evaluator_id} ${version}`
}
