/** POST, PATCH and DELETE of /v1/evaluation/rules. */
import type { Clock } from '../../core/clock.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import { defaultRuleId } from '../../core/evaluation/rule.ts'
import type { Rule } from '../../core/evaluation/rule.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { cancelRuns } from '../configuration/cancel-runs.ts'
import { changeOf } from '../configuration/change-of.ts'
import { refuseTooManyChanges } from '../configuration/change-limit.ts'
import { existing, invalidBody, limitReached } from '../configuration/refusals.ts'
import { nameTaken, refuseBuiltIn } from '../configuration/refusals.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Edit } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { checkReferences, ruleDraftOf } from './rule-draft.ts'
import type { RuleBody } from './rule-draft.ts'
import { readRule, readRules, rulesMax, ruleView } from './rule-rows.ts'
import { writeRuleSet } from './write-rule-set.ts'

export interface EditRulesDependencies {
  readonly store: Store
  readonly clock: Clock
}

export function createEditRules({ store, clock }: EditRulesDependencies) {
  const createRule: SessionHandle = async (call) => {
    const rule = ruleDraftOf(prefixedId('rul', clock.now()), call.body as RuleBody, null)
    const made = await takeTurn(store, call, async (edit) => {
      await refuseTooManyChanges(edit)
      const others = await readRules(edit)
      if (others.length > rulesMax) throw limitReached('rules', rulesMax)
      await saveRule(edit, rule)
      await edit.audit('rule.created', rule.rule_id, { name: rule.name })
      return await readRule(edit, rule.rule_id)
    })
    return jsonReply(201, JSON.stringify(ruleView(existing('rule', made, rule.rule_id))))
  }

  const changeRule: SessionHandle = async (call) => {
    const id = call.params['rule_id'] ?? ''
    const change = call.body as Partial<RuleBody>
    if (id === defaultRuleId) refuseBuiltIn(isMoreThanSwitch(change), onlyASwitch)
    const changed = await takeTurn(store, call, async (edit) => {
      const { rule: before } = existing('rule', await readRule(edit, id), id)
      const rule = ruleDraftOf(id, change, before)
      const isReduction = !rule.enabled && !isMoreThanSwitch(change)
      if (!isReduction) await refuseTooManyChanges(edit)
      await saveRule(edit, rule, isReduction)
      await edit.audit('rule.changed', id, changeOf(rule, change))
      if (before.enabled && !rule.enabled) await cancelRuns(edit, ['rule_id', id], 'disabled')
      return await readRule(edit, id)
    })
    return jsonReply(200, JSON.stringify(ruleView(existing('rule', changed, id))))
  }

  const deleteRule: SessionHandle = async (call) => {
    const id = call.params['rule_id'] ?? ''
    refuseBuiltIn(id === defaultRuleId, onlyASwitch)
    await takeTurn(store, call, async (edit) => {
      const { rule } = existing('rule', await readRule(edit, id), id)
      await edit.audit('rule.deleted', id, { name: rule.name })
      await edit.query(
        `update evaluation_rules set deleted_at = now()
          where organization_id = $1 and rule_id = $2`,
        [edit.organizationId, id]
      )
      await cancelRuns(edit, ['rule_id', id], 'deleted')
      await writeRuleSet(edit, true)
    })
    return jsonReply(200, JSON.stringify({ rule_id: id, deleted: true }))
  }

  return { createRule, changeRule, deleteRule }
}

const onlyASwitch = 'The rule default is built in: all that can change is whether it is enabled.'

function isMoreThanSwitch(change: object): boolean {
  return Object.keys(change).some((name) => name !== 'enabled')
}

/** Checks, writes the rule, and what follows from it. @throws {Problem} 409 or 422 */
async function saveRule(edit: Edit, rule: Rule, isReduction = false): Promise<void> {
  const errors = await checkReferences(edit, rule)
  if (errors.length > 0) throw invalidBody(errors)
  const others = await readRules(edit)
  const isTaken = others.some(
    (other) => other.rule.name === rule.name && other.rule.rule_id !== rule.rule_id
  )
  if (isTaken) throw nameTaken(rule.name)
  await edit.query(
    `insert into evaluation_rules (organization_id, rule_id, name, definition)
     values ($1, $2, $3, $4)
     on conflict (organization_id, rule_id) do update
        set name = excluded.name, definition = excluded.definition, updated_at = now()`,
    [edit.organizationId, rule.rule_id, rule.name, JSON.stringify(rule)]
  )
  await writeRuleSet(edit, isReduction)
}
