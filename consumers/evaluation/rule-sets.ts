/** Reads rule sets of organizations: the current version, or the version that a plan used. */
import type { RuleSet } from '../../core/evaluation/rule.ts'
import type { Clock } from '../../core/clock.ts'
import { builtInEvaluators, defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import { createPlanRules, createResolvePlan } from '../../evaluators/planning/plan-rules.ts'
import type { PlanRules, RulePlanOf } from '../../evaluators/planning/plan-rules.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

/** A rule set compiled for planning. */
export interface LoadedRuleSet {
  readonly ruleSet: RuleSet
  readonly planRules: PlanRules
  readonly resolvePlan: RulePlanOf
}

export interface RuleSets {
  /** Returns the current rule set of each organization. Changes take effect within seconds. */
  current(organizationIds: readonly string[]): Promise<ReadonlyMap<string, LoadedRuleSet>>
  /** Returns a version that a plan used. It may no longer be current. */
  at(organizationId: string, version: number): Promise<LoadedRuleSet>
}

interface RuleSetsDependencies {
  readonly postgres: Queryable
  readonly clock: Clock
}

/** Maximum time until a rule change takes effect. */
const freshMs = 5000
const organizationsMax = 10_000
const ruleSetsMax = 1000
/**
 * Maximum total size of cached rule sets, in characters. A rule set can have about 8 million
 * characters of JSON, and takes several times as much memory when parsed.
 */
const charactersMax = 32 * 1024 * 1024

interface CachedVersion {
  readonly version: number
  readonly readAt: number
}

export function createRuleSets({ postgres, clock }: RuleSetsDependencies): RuleSets {
  const versions = createCache<CachedVersion>(organizationsMax)
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
    const ruleSet = withBuiltInEvaluators(JSON.parse(content) as RuleSet)
    const found = { ...compileRuleSet(ruleSet), characters: content.length }
    loaded.set(name, found)
    return found
  }

  async function readVersions(organizationIds: readonly string[]): Promise<void> {
    const readAt = clock.now()
    const stale = organizationIds.filter(
      (id) => readAt - (versions.get(id)?.readAt ?? Number.NEGATIVE_INFINITY) >= freshMs
    )
    if (stale.length === 0) return
    const rows = await postgres.query<{ organization_id: string; version: number }>(
      `select organization_id, max(version) as version
         from rule_sets where organization_id = any($1::uuid[]) group by organization_id`,
      [stale]
    )
    const found = new Map(rows.map(({ organization_id, version }) => [organization_id, version]))
    for (const id of stale) versions.set(id, { version: found.get(id) ?? 0, readAt })
  }

  return {
    at,
    async current(organizationIds) {
      const ids = [...new Set(organizationIds)]
      await readVersions(ids)
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

const builtInById = new Map(builtInEvaluators.map((version) => [version.evaluator_id, version]))

/** Uses this process's versions of built-in evaluators instead of the stored ones. */
function withBuiltInEvaluators({ version, rules }: RuleSet): RuleSet {
  const currentRules = rules.map((rule) => ({
    ...rule,
    evaluators: rule.evaluators.map((each) => builtInById.get(each.evaluator_id) ?? each)
  }))
  return { version, rules: currentRules }
}
