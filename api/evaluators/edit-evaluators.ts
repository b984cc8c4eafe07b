/** POST, PATCH and DELETE of /v1/evaluation/evaluators. */
import type { Clock } from '../../core/clock.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import type {
  EvaluatorDraft,
  EvaluatorVersion
} from '../../core/evaluation/evaluator-definition.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { cancelRuns } from '../configuration/cancel-runs.ts'
import { refuseTooManyChanges } from '../configuration/change-limit.ts'
import { changeOf } from '../configuration/change-of.ts'
import { existing, inUse, limitReached, nameTaken } from '../configuration/refusals.ts'
import { refuseBuiltIn } from '../configuration/refusals.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Edit, OrganizationRows } from '../configuration/take-turn.ts'
import { readRules } from '../rules/rule-rows.ts'
import { writeRuleSet } from '../rules/write-rule-set.ts'
import type { Store } from '../store.ts'
import { checkedDraftOf, mergedDraftOf } from './evaluator-draft.ts'
import type { EvaluatorBody, EvaluatorPatch } from './evaluator-draft.ts'
import { evaluatorsMax, evaluatorView, isBuiltIn } from './evaluator-rows.ts'
import { readEvaluator, readEvaluatorNames } from './evaluator-rows.ts'
import { insertEvaluator, insertVersion } from './insert-version.ts'
import { refuseLostConnection } from './preflight.ts'
import type { Preflight } from './preflight.ts'
import type { TenantCompute } from './tenant-compute.ts'

export interface EditEvaluatorsDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly preflight: Preflight
  readonly compute: Pick<TenantCompute, 'check'>
}

export function createEditEvaluators(dependencies: EditEvaluatorsDependencies) {
  const { store, clock, preflight, compute } = dependencies

  const createEvaluator: SessionHandle = async (call) => {
    const body = call.body as EvaluatorBody
    const { organization_id: organizationId } = call.principal
    const draft = await checkedDraftOf(compute, organizationId, { given: body })
    const ours = store.of(organizationId)
    await refuseNames(ours, draft.name, null)
    const isAttacked = body.self_test !== false
    const report = await preflight(ours, draft, { isAttacked, signal: call.signal })
    const id = prefixedId('evl', clock.now())
    const made = await takeTurn(store, call, async (edit) => {
      await refuseDraft(edit, draft, null)
      await insertEvaluator(edit, id, draft.name)
      await insertVersion(edit, { ...draft, evaluator_id: id, version: 1 }, report)
      await edit.audit('evaluator.created', id, { name: draft.name })
      return await readEvaluator(edit, id)
    })
    return jsonReply(201, JSON.stringify(evaluatorView(existing('evaluator', made, id))))
  }

  const changeEvaluator: SessionHandle = async (call) => {
    const id = call.params['evaluator_id'] ?? ''
    refuseBuiltIn(isBuiltIn(id), notOurs)
    const patch = call.body as EvaluatorPatch
    const { organization_id: organizationId } = call.principal
    const ours = store.of(organizationId)
    const { version: before } = existing('evaluator', await readEvaluator(ours, id), id)
    const draftOf = (version: EvaluatorVersion) =>
      checkedDraftOf(compute, organizationId, { given: mergedDraftOf(version, patch) })
    const draft = await draftOf(before)
    const isAlike = judgedHashOf(draft) === judgedHashOf(before)
    const isAttacked = patch.self_test !== false
    const report = isAlike
      ? null
      : await preflight(ours, draft, { isAttacked, signal: call.signal })
    const changed = await takeTurn(store, call, async (edit) => {
      await saveChange(edit, { id, patch, before, draft, draftOf, report })
      return await readEvaluator(edit, id)
    })
    return jsonReply(200, JSON.stringify(evaluatorView(existing('evaluator', changed, id))))
  }

  const deleteEvaluator: SessionHandle = async (call) => {
    const id = call.params['evaluator_id'] ?? ''
    refuseBuiltIn(isBuiltIn(id), notOurs)
    await takeTurn(store, call, (edit) => remove(edit, id))
    return jsonReply(200, JSON.stringify({ evaluator_id: id, deleted: true }))
  }

  return { createEvaluator, changeEvaluator, deleteEvaluator }
}

const notOurs = 'It is built in: every organization has it as it is.'

/** @param id of the one that may have the name; null for a new one, which also needs a place. */
async function refuseNames(ours: OrganizationRows, name: string, id: string | null): Promise<void> {
  const others = await readEvaluatorNames(ours)
  if (id === null && others.length >= evaluatorsMax) throw limitReached('evaluators', evaluatorsMax)
  const isTaken = others.some((other) => other.name === name && other.evaluator_id !== id)
  if (isTaken) throw nameTaken(name)
}

/** In the turn of the change. */
async function refuseDraft(edit: Edit, draft: EvaluatorDraft, id: string | null): Promise<void> {
  await refuseTooManyChanges(edit)
  await refuseNames(edit, draft.name, id)
  await refuseLostConnection(edit, draft)
}

interface Change {
  readonly id: string
  readonly patch: EvaluatorPatch
  /** The version that the draft was made from. */
  readonly before: EvaluatorVersion
  /** What was attacked: somebody else may have changed it meanwhile. */
  readonly draft: EvaluatorDraft
  readonly draftOf: (version: EvaluatorVersion) => Promise<EvaluatorDraft>
  /** What the attacks came to; null where there were none. */
  readonly report: unknown
}

/** Of what a judge hears and may answer: its name is no part of that. */
function judgedHashOf({ kind, config, output }: EvaluatorDraft): string {
  return configHashOf({ kind, config, output: { ...output, name: '' }, timeout_ms: 0 })
}

/** The next version, unless it would be the same one. */
async function saveChange(edit: Edit, change: Change): Promise<void> {
  const { id, patch, before, report } = change
  const { version: now, self_test } = existing('evaluator', await readEvaluator(edit, id), id)
  const draft = now.version === before.version ? change.draft : await change.draftOf(now)
  const isSame = configHashOf(draft) === now.config_hash
  if (isSame && draft.name === now.name && draft.description === now.description) return
  await refuseDraft(edit, draft, id)
  const hash = judgedHashOf(draft)
  const tested = hash === judgedHashOf(change.draft) ? report : null
  const version = { ...draft, evaluator_id: id, version: now.version + 1 }
  await insertVersion(edit, version, hash === judgedHashOf(now) ? self_test : tested)
  await writeRuleSet(edit)
  await edit.audit('evaluator.changed', id, { ...changeOf(draft, patch), version: version.version })
}

async function remove(edit: Edit, id: string): Promise<void> {
  const { version } = existing('evaluator', await readEvaluator(edit, id), id)
  const rules = await readRules(edit)
  const users = rules.filter(({ rule }) => rule.evaluators.some((each) => each.evaluator_id === id))
  if (users.length > 0) {
    throw inUse(users.map(({ rule: { rule_id, name } }) => ({ rule_id, name })))
  }
  await edit.query(
    `update evaluators set deleted_at = now() where organization_id = $1 and evaluator_id = $2`,
    [edit.organizationId, id]
  )
  await edit.audit('evaluator.deleted', id, { name: version.name })
  // Of rules that named it before, and of replays.
  await cancelRuns(edit, ['evaluator_id', id], 'deleted')
}
