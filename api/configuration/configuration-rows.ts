/** The rows of what an organization says of its evaluation: how, of what, by whom, at what cost. */
import { changeBudgetOperation, showBudgetOperation } from '../budget/budget.operation.ts'
import * as connections from '../connections/connection.operation.ts'
import * as evaluators from '../evaluators/evaluator.operation.ts'
import * as rules from '../rules/rule.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { SessionHandle } from '../../http/route.ts'
import { webhookRows } from '../webhooks/webhook-rows.ts'
import type { WebhookHandlers } from '../webhooks/webhook-rows.ts'

export interface ConfigurationHandlers extends WebhookHandlers {
  readonly listEvaluators: SessionHandle
  readonly createEvaluator: SessionHandle
  readonly testDraft: SessionHandle
  readonly showEvaluator: SessionHandle
  readonly changeEvaluator: SessionHandle
  readonly deleteEvaluator: SessionHandle
  readonly testEvaluator: SessionHandle
  readonly listVersions: SessionHandle
  readonly showVersion: SessionHandle
  readonly listRules: SessionHandle
  readonly createRule: SessionHandle
  readonly previewRule: SessionHandle
  readonly showRule: SessionHandle
  readonly changeRule: SessionHandle
  readonly deleteRule: SessionHandle
  readonly listConnections: SessionHandle
  readonly createConnection: SessionHandle
  readonly showConnection: SessionHandle
  readonly changeConnection: SessionHandle
  readonly deleteConnection: SessionHandle
  readonly testConnection: SessionHandle
  readonly showBudget: SessionHandle
  readonly changeBudget: SessionHandle
}

const root = '/v1/evaluation'

/** Any session reads, members try, and what costs or changes something is for admins. */
export function configurationRows(to: ConfigurationHandlers, guards: Guards): readonly Row[] {
  return [
    ...evaluatorRows(to, guards),
    ...ruleRows(to, guards),
    ...connectionRows(to, guards),
    ...budgetRows(to, guards),
    ...webhookRows(to, guards)
  ]
}

// prettier-ignore
function evaluatorRows(to: ConfigurationHandlers, { session, sessionAs }: Guards): readonly Row[] {
  const [admin, member] = [sessionAs('admin'), sessionAs('member')]
  const all = `${root}/evaluators`
  const one = `${all}/:evaluator_id`
  const versions = `${one}/versions`
  return [
    ['get',    all,            session(evaluators.listEvaluatorsOperation, to.listEvaluators)],
    ['post',   all,            admin(evaluators.createEvaluatorOperation, to.createEvaluator)],
    ['post',   `${all}/test`,  member(evaluators.testDraftOperation, to.testDraft)],
    ['get',    one,            session(evaluators.showEvaluatorOperation, to.showEvaluator)],
    ['patch',  one,            admin(evaluators.changeEvaluatorOperation, to.changeEvaluator)],
    ['delete', one,            admin(evaluators.deleteEvaluatorOperation, to.deleteEvaluator)],
    ['post',   `${one}/test`,  member(evaluators.testEvaluatorOperation, to.testEvaluator)],
    ['get',    versions,       session(evaluators.listVersionsOperation, to.listVersions)],
    ['get',    `${versions}/:version`, session(evaluators.showVersionOperation, to.showVersion)]
  ]
}

// prettier-ignore
function ruleRows(to: ConfigurationHandlers, { session, sessionAs }: Guards): readonly Row[] {
  const admin = sessionAs('admin')
  const all = `${root}/rules`
  const one = `${all}/:rule_id`
  return [
    ['get',    all,               session(rules.listRulesOperation, to.listRules)],
    ['post',   all,               admin(rules.createRuleOperation, to.createRule)],
    ['post',   `${all}/preview`,  session(rules.previewRuleOperation, to.previewRule)],
    ['get',    one,               session(rules.showRuleOperation, to.showRule)],
    ['patch',  one,               admin(rules.changeRuleOperation, to.changeRule)],
    ['delete', one,               admin(rules.deleteRuleOperation, to.deleteRule)]
  ]
}

// prettier-ignore
function connectionRows(to: ConfigurationHandlers, { session, sessionAs }: Guards): readonly Row[] {
  const admin = sessionAs('admin')
  const all = `${root}/connections`
  const one = `${all}/:connection_id`
  return [
    ['get',    all,            session(connections.listConnectionsOperation, to.listConnections)],
    ['post',   all,            admin(connections.createConnectionOperation, to.createConnection)],
    ['get',    one,            session(connections.showConnectionOperation, to.showConnection)],
    ['patch',  one,            admin(connections.changeConnectionOperation, to.changeConnection)],
    ['delete', one,            admin(connections.deleteConnectionOperation, to.deleteConnection)],
    ['post',   `${one}/test`,  admin(connections.testConnectionOperation, to.testConnection)]
  ]
}

// prettier-ignore
function budgetRows(to: ConfigurationHandlers, { session, sessionAs }: Guards): readonly Row[] {
  return [
    ['get', `${root}/budget`, session(showBudgetOperation, to.showBudget)],
    ['put', `${root}/budget`, sessionAs('admin')(changeBudgetOperation, to.changeBudget)]
  ]
}
