/** Writes evaluators and their versions, which never change once they are written. */
import type { EvaluatorDraft } from '../../core/evaluation/evaluator-definition.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import type { Edit } from '../configuration/take-turn.ts'

export async function insertEvaluator(edit: Edit, id: string, name: string): Promise<void> {
  await edit.query(
    `insert into evaluators (organization_id, evaluator_id, name, version)
     values ($1, $2, $3, 1)`,
    [edit.organizationId, id, name]
  )
}

type Numbered = EvaluatorDraft & { readonly evaluator_id: string; readonly version: number }

/** Makes it the latest. @param selfTest null where there was none */
export async function insertVersion(
  edit: Edit,
  numbered: Numbered,
  selfTest: unknown
): Promise<void> {
  const { evaluator_id, version, ...draft } = numbered
  const { name, kind, description, config, output, timeout_ms } = draft
  await edit.query(
    `insert into evaluator_versions (organization_id, evaluator_id, version, name, kind,
                                     description, config, output, timeout_ms, config_hash,
                                     self_test, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[edit.organizationId, evaluator_id, version, name, kind, description],
      ...[JSON.stringify(config), JSON.stringify(output), timeout_ms, configHashOf(draft)],
      ...[selfTest === null ? null : JSON.stringify(selfTest), edit.userId]
    ]
  )
  await edit.query(
    `update evaluators
        set name = $3, version = $4, updated_at = now()
      where organization_id = $1 and evaluator_id = $2`,
    [edit.organizationId, evaluator_id, name, version]
  )
}
