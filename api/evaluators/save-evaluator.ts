/** Builds evaluators from request bodies, validates them, and saves them as immutable versions. */
import type { EvaluatorDraft } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import { completeDraft, naturalOutputOf } from '../../evaluators/complete-draft.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import { invalidBody, limitReached, refuseName } from '../configuration/problems.ts'
import { changeOf } from '../configuration/with-organization-lock.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import { refuseTooManyChanges, writeRuleSet } from '../rules/save-rule.ts'
import { requireConnection } from './preflight.ts'
import { evaluatorsMax, insertVersion, readEvaluator, readEvaluatorNames } from './queries.ts'
import type { EvaluatorBody, EvaluatorChange } from './schemas.ts'
import type { TenantCompute } from './tenant-compute.ts'

/**
 * Validates an evaluator and fills in defaults.
 * @param given the evaluator from a request, or the result of `mergedDraftOf`
 * @param place the JSON pointer to the evaluator within the body
 * @throws {Problem} 422 if the evaluator is invalid; 429 or 503 if it cannot be checked now
 */
export async function checkedDraftOf(
  compute: TenantCompute,
  organizationId: string,
  { given, place = '' }: { given: EvaluatorBody; place?: string }
): Promise<EvaluatorDraft> {
  const errors = await compute.check(organizationId, given)
  if (errors.length === 0) return completeDraft(given)
  throw invalidBody(errors.map(({ pointer, detail }) => ({ pointer: place + pointer, detail })))
}

/**
 * Merges a change with the stored version. A field in the change replaces the stored field as a
 * whole; members missing from the new field get the defaults of the kind.
 */
export function mergedDraftOf(before: EvaluatorVersion, change: EvaluatorChange): EvaluatorBody {
  const { name, kind, description, config, timeout_ms } = before
  const kept = { name, kind, description, config, timeout_ms, output: givenOutputOf(before) }
  return { ...kept, ...change }
}

/**
 * Returns the output members that the author set explicitly. The others are derived from the kind
 * and the configuration.
 */
function givenOutputOf({ name, kind, config, output }: EvaluatorVersion): Partial<ScoreDefinition> {
  const own: Readonly<Record<string, unknown>> = { name, ...naturalOutputOf(kind, config) }
  const explicit = Object.entries(output).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(own[member] ?? null)
  )
  return Object.fromEntries(explicit)
}

/**
 * Rejects a name that is already in use, and a new evaluator beyond the limit.
 * @param id the evaluator to change, or null for a new one
 */
export async function refuseNames(
  ours: OrganizationRows,
  name: string,
  id: string | null
): Promise<void> {
  const all = await readEvaluatorNames(ours)
  if (id === null && all.length >= evaluatorsMax) throw limitReached('evaluators', evaluatorsMax)
  const others = all.filter(({ evaluator_id }) => evaluator_id !== id)
  refuseName(name, others)
}

/**
 * Runs the checks that require the lock: without it, their results could change before the draft is
 * saved.
 */
async function refuseDraft(edit: Edit, draft: EvaluatorDraft, id: string | null): Promise<void> {
  await refuseTooManyChanges(edit)
  await refuseNames(edit, draft.name, id)
  if (draft.kind === 'llm_judge') await requireConnection(edit, draft)
}

interface NewEvaluator {
  readonly id: string
  readonly draft: EvaluatorDraft
  /** The self-test report; null if no self-test ran. */
  readonly report: unknown
}

export async function saveEvaluator(edit: Edit, { id, draft, report }: NewEvaluator) {
  await refuseDraft(edit, draft, null)
  await insertVersion(edit, { ...draft, evaluator_id: id, version: 1 }, report)
  await edit.audit('evaluator.created', id, { name: draft.name })
  return await readEvaluator(edit, id)
}

/**
 * `draft` is the draft that the preflight tested. It is outdated if the evaluator has changed
 * since.
 */
interface ChangedEvaluator extends NewEvaluator {
  readonly change: EvaluatorChange
  /** The stored version that the preflight was based on. */
  readonly before: EvaluatorVersion
  readonly draftOf: (version: EvaluatorVersion) => Promise<EvaluatorDraft>
}

/** Hashes the fields that affect how a judge grades. Excludes the name and the timeout. */
export function judgedHashOf({ kind, config, output }: EvaluatorDraft): string {
  return configHashOf({ kind, config, output: { ...output, name: '' }, timeout_ms: 0 })
}

/** Saves the draft as the next version, unless nothing has changed. */
export async function saveChange(edit: Edit, changed: ChangedEvaluator) {
  const { id, change, before, draftOf, report } = changed
  const stored = await readEvaluator(edit, id)
  const { version: now, self_test } = stored
  const draft = now.version === before.version ? changed.draft : await draftOf(now)
  const isSame = configHashOf(draft) === now.config_hash
  if (isSame && draft.name === now.name && draft.description === now.description) return stored
  await refuseDraft(edit, draft, id)
  const hash = judgedHashOf(draft)
  const tested = hash === judgedHashOf(changed.draft) ? report : null
  const version = now.version + 1
  const kept = hash === judgedHashOf(now) ? self_test : tested
  await insertVersion(edit, { ...draft, evaluator_id: id, version }, kept)
  await writeRuleSet(edit)
  await edit.audit('evaluator.changed', id, { ...changeOf(draft, change), version })
  return await readEvaluator(edit, id)
}
