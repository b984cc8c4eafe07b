/** Rules as the table holds them, and the one that every organization begins with. */
import { defaultRuleId } from '../../core/evaluation/rule.ts'
import type { Rule } from '../../core/evaluation/rule.ts'
import { defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { yieldTurn } from '../../platform/process/yield-turn.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'

/** Of an organization, beside the built-in one. */
export const rulesMax = 100

export interface StoredRule {
  readonly rule: Rule
  /** Null for the built-in one, until it is changed. */
  readonly created_at: Date | null
  readonly updated_at: Date | null
}

interface RuleRow extends Row {
  readonly definition: string
  readonly created_at: Date
  readonly updated_at: Date
}

const selectRules = `
  select definition, created_at, updated_at from evaluation_rules
   where organization_id = $1 and deleted_at is null`

/** In the order in which plans name them: the built-in one, then the oldest first, as ids sort. */
export async function readRules(ours: OrganizationRows): Promise<StoredRule[]> {
  const statement = `${selectRules} order by rule_id collate "C" limit ${rulesMax + 1}`
  const stored: StoredRule[] = []
  for (const row of await ours.query<RuleRow>(statement, [ours.organizationId])) {
    // In turns: each may have 64 KiB of JSON.
    await yieldTurn()
    stored.push(storedOf(row))
  }
  const isBuiltIn = ({ rule }: StoredRule): boolean => rule.rule_id === defaultRuleId
  const first = stored.find(isBuiltIn) ?? unchanged
  return [first, ...stored.filter((each) => !isBuiltIn(each))]
}

export async function readRule(ours: OrganizationRows, ruleId: string): Promise<StoredRule | null> {
  const values = [ours.organizationId, ruleId]
  const [row] = await ours.query<RuleRow>(`${selectRules} and rule_id = $2`, values)
  if (row !== undefined) return storedOf(row)
  return ruleId === defaultRuleId ? unchanged : null
}

const defaultRules = defaultRuleSet.rules.map(({ evaluators, ...terms }): Rule => ({
  ...terms,
  evaluators: evaluators.map(({ evaluator_id }) => ({ evaluator_id, version: 'latest' }))
}))
const [defaultRule] = defaultRules as [Rule]
const unchanged: StoredRule = { rule: defaultRule, created_at: null, updated_at: null }

/** Of the built-in rule only whether it is on is the organization's to say. */
function storedOf({ definition, created_at, updated_at }: RuleRow): StoredRule {
  const rule = JSON.parse(definition) as Rule
  if (rule.rule_id !== defaultRuleId) return { rule, created_at, updated_at }
  return { rule: { ...defaultRule, enabled: rule.enabled }, created_at, updated_at }
}

/** As callers see it. */
export function ruleView({ rule, created_at, updated_at }: StoredRule) {
  const { rule_id, name, ...terms } = rule
  const built_in = rule_id === defaultRuleId
  return { rule_id, name, built_in, ...terms, created_at, updated_at }
}
