/** The versions of evaluators that rules name. */
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorReference } from '../../core/evaluation/rule.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import { readEvaluators, readVersion } from '../evaluators/evaluator-rows.ts'

/** Undefined for what does not exist. */
export type VersionOf = (reference: EvaluatorReference) => EvaluatorVersion | undefined

export async function readReferences(
  ours: OrganizationRows,
  references: readonly EvaluatorReference[]
): Promise<VersionOf> {
  const ids = [...new Set(references.map(({ evaluator_id }) => evaluator_id))]
  const latest = await readEvaluators(ours, ids)
  const known = new Map(latest.map(({ version }) => [nameOf(version, 'latest'), version]))
  for (const { version } of latest) known.set(nameOf(version, version.version), version)
  for (const { evaluator_id, version } of references) {
    if (version === 'latest' || known.has(nameOf({ evaluator_id }, version))) continue
    const pinned = await readVersion(ours, evaluator_id, version)
    if (pinned !== null) known.set(nameOf({ evaluator_id }, version), pinned.version)
  }
  return (reference) => known.get(nameOf(reference, reference.version))
}

function nameOf({ evaluator_id }: { evaluator_id: string }, version: number | 'latest'): string {
  return `${evaluator_id} ${version}`
}
