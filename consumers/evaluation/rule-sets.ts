/** The rule sets of organizations, as they were at one moment and are by now. */
import type { RuleSet } from '../../core/evaluation/rule.ts'
import type { Clock } from '../../core/clock.ts'
import { builtInEvaluators, defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import { createPlanRules, createResolvePlan } from '../../evaluators/planning/plan-rules.ts'
import type { PlanRules, RulePlanOf } from '../../evaluators/planning/plan-rules.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

/** A rule set, ready to plan by. */
export interface LoadedRuleSet {
  readonly ruleSet: RuleSet
  readonly planRules: PlanRules
  readonly resolvePlan: RulePlanOf
}

export interface RuleSets {
  /** By organization, as they are by now: a change holds within seconds. */
  current(organizationIds: readonly string[]): Promise<ReadonlyMap<string, LoadedRuleSet>>
  /** As it was when something was planned by it. */
  at(organizationId: string, version: number): Promise<LoadedRuleSet>
}

export interface RuleSetsDependencies {
  readonly postgres: Queryable
  readonly clock: Clock
}

/** How long a change of rules may take to hold. */
const freshMs = 5000
const organizationsMax = 10_000
const ruleSetsMax = 1000
/** Of all that are kept: one may have 8 MiB, and takes a few times as much when it is parsed. */
const charactersMax = 32 * 1024 * 1024

interface Known {
  readonly version: number
  readonly askedAt: number
}

export function createRuleSets({ postgres, clock }: RuleSetsDependencies): RuleSets {
  const versions = createCache<Known>(organizationsMax)
  const loaded = createCache<LoadedRuleSet & { characters: number }>(ruleSetsMax, {
    max: charactersMax,
    of: ({ characters }) => characters
  })

  async function at(organizationId: string, version: number): Promise<LoadedRuleSet> {
    if (version === defaultRuleSet.version) return loadedDefault
    const name = `${organizationId}/${version}`
    const known = loaded.get(name)
    if (known !== undefined) return known
    const content = await readContent(postgres, organizationId, version)
    const ruleSet = withOurOwn(JSON.parse(content) as RuleSet)
    const found = { ...compileRuleSet(ruleSet), characters: content.length }
    loaded.set(name, found)
    return found
  }

  async function learnVersions(organizationIds: readonly string[]): Promise<void> {
    const askedAt = clock.now()
    const stale = organizationIds.filter(
      (id) => askedAt - (versions.get(id)?.askedAt ?? Number.NEGATIVE_INFINITY) >= freshMs
    )
    if (stale.length === 0) return
    const rows = await postgres.query<{ organization_id: string; version: number }>(
      `select organization_id, max(version) as version
         from rule_sets where organization_id = any($1::uuid[]) group by organization_id`,
      [stale]
    )
    const found = new Map(rows.map(({ organization_id, version }) => [organization_id, version]))
    for (const id of stale) versions.set(id, { version: found.get(id) ?? 0, askedAt })
  }

  return {
    at,
    async current(organizationIds) {
      const ids = [...new Set(organizationIds)]
      await learnVersions(ids)
      const entries = ids.map(async (id) => {
        const version = versions.get(id)?.version ?? defaultRuleSet.version
        return [id, await at(id, version)] as const
      })
      return new Map(await Promise.all(entries))
    }
  }
}

export function compileRuleSet(ruleSet: RuleSet): LoadedRuleSet {
  return { ruleSet, planRules: createPlanRules(ruleSet), resolvePlan: createResolvePlan(ruleSet) }
}

const loadedDefault = compileRuleSet(defaultRuleSet)

async function readContent(
  postgres: Queryable,
  organizationId: string,
  version: number
): Promise<string> {
  const [row] = await postgres.query<{ content: string }>(
    `select content from rule_sets where organization_id = $1 and version = $2`,
    [organizationId, version]
  )
  if (row === undefined) throw new Error(`${organizationId} has no rule set ${version}`)
  return row.content
}

const ourOwn = new Map(builtInEvaluators.map((version) => [version.evaluator_id, version]))

/** What is built in is what this process has, whatever it was when the rule set was written. */
function withOurOwn({ version, rules }: RuleSet): RuleSet {
  const currentRules = rules.map((rule) => ({
    ...rule,
    evaluators: rule.evaluators.map((each) => ourOwn.get(each.evaluator_id) ?? each)
  }))
  return { version, rules: currentRules }
}
