/** Rule sets as far as readers need them: which rules, and which evaluators of each. */
import type { RuleSet } from '../core/evaluation/rule.ts'
import { defaultRuleSet } from '../evaluators/default-rule-set.ts'
import { createCache } from '../platform/process/cache.ts'
import type { Row } from '../platform/postgres/postgres.ts'
import type { OrganizationStore } from './store.ts'

export interface EvaluatorOutline {
  readonly evaluator_id: string
  readonly name: string
  readonly version: number
}

export interface RuleOutline {
  readonly rule_id: string
  readonly name: string
  readonly evaluators: readonly EvaluatorOutline[]
}

export type RuleOutlines = ReadonlyMap<number, readonly RuleOutline[]>

/** @returns the rules of these versions, as far as they exist. */
export type ReadRuleOutlines = (
  store: OrganizationStore,
  versions: readonly number[]
) => Promise<RuleOutlines>

/** An outline of many rules is some kilobytes. */
const cachedMax = 1000

/** A rule set never changes, so each is read and taken apart once. */
export function createReadRuleOutlines(): ReadRuleOutlines {
  const known = createCache<readonly RuleOutline[]>(cachedMax)

  return async function readRuleOutlines(store, versions) {
    const keyOf = (version: number): string => `${store.organizationId}/${version}`
    const found = new Map<number, readonly RuleOutline[]>([
      [defaultRuleSet.version, outlinesOf(defaultRuleSet)]
    ])
    for (const version of versions) {
      const rules = known.get(keyOf(version))
      if (rules !== undefined) found.set(version, rules)
    }
    const missing = new Set(versions.filter((version) => !found.has(version)))
    for (const { version, content } of await selectRuleSets(store, missing)) {
      const rules = outlinesOf(JSON.parse(content) as RuleSet)
      known.set(keyOf(version), rules)
      found.set(version, rules)
    }
    return found
  }
}

async function selectRuleSets(store: OrganizationStore, versions: ReadonlySet<number>) {
  if (versions.size === 0) return []
  return store.query<{ version: number; content: string } & Row>(
    `select version, content
       from rule_sets
      where organization_id = $1
        and version = any($2::integer[])`,
    [store.organizationId, [...versions]]
  )
}

function outlinesOf({ rules }: RuleSet): readonly RuleOutline[] {
  return rules.map(({ rule_id, name, evaluators }) => ({
    rule_id,
    name,
    evaluators: evaluators.map(({ evaluator_id, name, version }) => ({
      evaluator_id,
      name,
      version
    }))
  }))
}
