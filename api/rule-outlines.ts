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

/** Outlines that are kept, each of at most so many characters: one may have 200,000. */
const cachedMax = 1000
const cachedCharactersMax = 32_768

/** A rule set never changes, so most are read once. */
export function createReadRuleOutlines(): ReadRuleOutlines {
  const known = createCache<readonly RuleOutline[]>(cachedMax)

  async function readOutlines(store: OrganizationStore, version: number) {
    const key = `${store.organizationId}/${version}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const text = await selectOutlines(store, version)
    if (text === null) return null
    const rules = JSON.parse(text) as readonly RuleOutline[]
    if (text.length <= cachedCharactersMax) known.set(key, rules)
    return rules
  }

  return async function readRuleOutlines(store, versions) {
    const found = new Map<number, readonly RuleOutline[]>([
      [defaultRuleSet.version, outlinesOf(defaultRuleSet)]
    ])
    // One by one: many large ones would be too much to hold at once.
    for (const version of versions) {
      if (found.has(version)) continue
      const rules = await readOutlines(store, version)
      if (rules !== null) found.set(version, rules)
    }
    return found
  }
}

/** JSON text of the outlines: a whole rule set may have megabytes. */
async function selectOutlines(store: OrganizationStore, version: number): Promise<string | null> {
  const [row] = await store.query<{ outlines: string } & Row>(
    `select (select coalesce(json_agg(json_build_object(
                      'rule_id', rule -> 'rule_id', 'name', rule -> 'name',
                      'evaluators', (
                        select coalesce(json_agg(json_build_object(
                                 'evaluator_id', evaluator -> 'evaluator_id',
                                 'name', evaluator -> 'name', 'version', evaluator -> 'version')
                                 order by number), '[]')
                          from json_array_elements(rule -> 'evaluators')
                               with ordinality as evaluators (evaluator, number)))
                      order by place), '[]')
               from json_array_elements(content::json -> 'rules')
                    with ordinality as rules (rule, place))::text as outlines
       from rule_sets
      where organization_id = $1
        and version = $2`,
    [store.organizationId, version]
  )
  return row?.outlines ?? null
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
