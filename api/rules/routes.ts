/** Routes for rules: list, get, create, update, delete and preview. */
import { defaultRuleId } from '../../core/evaluation/rule.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import { admin, session } from '../../http/typed-route.ts'
import { refuseBuiltIn } from '../configuration/problems.ts'
import { cancelRuns, changeOf } from '../configuration/with-organization-lock.ts'
import { withOrganizationLock } from '../configuration/with-organization-lock.ts'
import { deletedOf, listPage, pageOf, pageQuery, pageReply } from '../page.ts'
import { routesOf } from '../services.ts'
import { previewRule } from './preview-rule.ts'
import * as queries from './queries.ts'
import { rulesMax } from './queries.ts'
import type { StoredRule } from './queries.ts'
import { refuseReferences, ruleDraftOf, saveRule, writeRuleSet } from './save-rule.ts'
import * as schemas from './schemas.ts'

const path = '/v1/evaluation/rules'
const route = routesOf('rules')
const params = schemas.ruleParams
const onlyEnabled = 'The rule "default" is built in. Only `enabled` can be changed.'

/** Every session can read and preview rules. Only admins can change them. */
export const ruleRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'listRules',
    summary: 'List rules',
    description:
      'Lists the built-in rule, then the others, oldest first. Plans name them in this order.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of rules.', schema: pageOf(schemas.rule) } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query }, { store }) => {
      const rules = await queries.readRules(store.of(principal.organization_id))
      const { data, meta } = listPage(rules.map(ruleView), query, 'rule_id')
      return pageReply(data, (rule) => rule, meta)
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'createRule',
    summary: 'Create a rule',
    description:
      'The rule applies to decisions that are planned from then on, within seconds. An ' +
      `organization can have at most ${rulesMax} rules, not counting the built-in one.`,
    body: schemas.newRule,
    answers: { 201: { description: 'The new rule.', schema: schemas.rule } },
    problems: ['name_taken', 'limit_reached', 'changes_limited'],
    handle: async (call, { store, clock }) => {
      const id = prefixedId('rul', clock.now())
      const rule = ruleDraftOf(id, call.body, null)
      const created = await withOrganizationLock(store, call, async (edit) => {
        await saveRule(edit, rule, { isNew: true })
        await edit.audit('rule.created', id, { name: rule.name })
        return await queries.readRule(edit, id)
      })
      return call.reply(201, ruleView(created))
    }
  }),
  route({
    method: 'post',
    path: `${path}/preview`,
    who: session,
    id: 'previewRule',
    summary: 'Preview a rule',
    description:
      'Applies an unsaved rule to the decisions of the last 7 days. Returns how many it would ' +
      'have matched, and what its runs would cost. The number of decisions is exact; the ' +
      'share that matched is measured on a recent sample.',
    body: schemas.ruleToPreview,
    answers: {
      200: { description: 'The preview. Nothing is stored.', schema: schemas.rulePreview }
    },
    problems: ['compute_limited'],
    share: 'expensive reads',
    handle: async ({ principal, body, reply }, { store, clock, compute }) => {
      const { organization_id: organizationId } = principal
      const { refuseSpent, spend } = compute.allowance
      // Check again: other requests may have used up the compute time while the body was read.
      refuseSpent(organizationId)
      const ours = store.of(organizationId)
      const draft = { ...ruleDraftOf('preview', body, null), enabled: true }
      await refuseReferences(ours, draft)
      const preview = await previewRule(ours, draft, {
        to: new Date(clock.now()),
        spend: (ms) => spend(organizationId, ms)
      })
      return reply(200, preview)
    }
  }),
  route({
    method: 'get',
    path: `${path}/:rule_id`,
    who: session,
    id: 'showRule',
    summary: 'Get a rule',
    description: 'Returns the rule with all defaults.',
    params,
    answers: { 200: { description: 'The rule.', schema: schemas.rule } },
    problems: ['rule_not_found'],
    handle: async ({ principal, params: { rule_id: id }, reply }, { store }) => {
      const found = await queries.readRule(store.of(principal.organization_id), id)
      return reply(200, ruleView(found))
    }
  }),
  route({
    method: 'patch',
    path: `${path}/:rule_id`,
    who: admin,
    id: 'changeRule',
    summary: 'Update a rule',
    description:
      'Fields that you leave out keep their values; a field that you send replaces the old ' +
      'value as a whole. Disabling a rule cancels its pending runs. Of the rule `default`, ' +
      'only `enabled` can be changed.',
    params,
    body: schemas.ruleChange,
    answers: { 200: { description: 'The updated rule.', schema: schemas.rule } },
    problems: ['rule_not_found', 'name_taken', 'built_in', 'limit_reached', 'changes_limited'],
    handle: async (call, { store }) => {
      const { body } = call
      const id = call.params.rule_id
      const isSwitch = Object.keys(body).every((name) => name === 'enabled')
      refuseBuiltIn(id === defaultRuleId && !isSwitch, onlyEnabled)
      const changed = await withOrganizationLock(store, call, async (edit) => {
        const { rule: before } = await queries.readRule(edit, id)
        const rule = ruleDraftOf(id, body, before)
        await saveRule(edit, rule, { isReduction: isSwitch && !rule.enabled })
        await edit.audit('rule.changed', id, changeOf(rule, body))
        if (before.enabled && !rule.enabled) await cancelRuns(edit, ['rule_id', id], 'disabled')
        return await queries.readRule(edit, id)
      })
      return call.reply(200, ruleView(changed))
    }
  }),
  route({
    method: 'delete',
    path: `${path}/:rule_id`,
    who: admin,
    id: 'deleteRule',
    summary: 'Delete a rule',
    description: 'Cancels the pending runs of the rule. Scores and plans that name it are kept.',
    params,
    answers: {
      200: { description: 'The rule is deleted.', schema: deletedOf('rule_id', schemas.rule) }
    },
    problems: ['rule_not_found', 'built_in'],
    handle: async (call, { store }) => {
      const id = call.params.rule_id
      refuseBuiltIn(id === defaultRuleId, onlyEnabled)
      await withOrganizationLock(store, call, async (edit) => {
        const { rule } = await queries.readRule(edit, id)
        await edit.audit('rule.deleted', id, { name: rule.name })
        await queries.deleteRule(edit, id)
        await cancelRuns(edit, ['rule_id', id], 'deleted')
        await writeRuleSet(edit, true)
      })
      return call.reply(200, { rule_id: id, deleted: true })
    }
  })
]

/** Converts a rule to its API form. */
function ruleView({ rule, ...times }: StoredRule) {
  return { ...rule, built_in: rule.rule_id === defaultRuleId, ...times }
}
