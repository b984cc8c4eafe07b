/** Finds rules that have used up their daily budget and skip further runs. */
import type { RuleBudget } from '../../core/evaluation/rule.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { LoadedRuleSet } from './rule-sets.ts'

/**
 * Returns the IDs of exhausted rules by organization. Excludes rules with `on_exhausted` set to
 * `wait`, because their runs wait for the next day.
 */
export type ReadExhausted = (
  loaded: ReadonlyMap<string, LoadedRuleSet>
) => Promise<ReadonlyMap<string, ReadonlySet<string>>>

interface Limited {
  readonly organization_id: string
  readonly rule_id: string
  readonly budget: RuleBudget
}

interface SpendRow extends Record<string, unknown> {
  readonly organization_id: string
  readonly rule_id: string
  readonly calls: number
  readonly nano_usd: number
}

const nanoPerUsd = 1e9

/**
 * Counts a rule as exhausted once its calls or its cost reaches the budget. The cost can exceed the
 * budget, because the cost of a call is known only when the call ends.
 */
export function createReadExhausted(postgres: Queryable): ReadExhausted {
  return async function readExhausted(loaded) {
    const limited = [...loaded].flatMap(([id, { ruleSet }]) => limitedOf(id, ruleSet.rules))
    if (limited.length === 0) return new Map()
    const rows = await readSpend(postgres, limited)
    const spend = new Map(rows.map((row) => [nameOf(row), row]))
    const exhausted = new Map<string, Set<string>>()
    for (const rule of limited) {
      if (!isSpent(rule.budget, spend.get(nameOf(rule)))) continue
      const ids = exhausted.get(rule.organization_id) ?? new Set()
      exhausted.set(rule.organization_id, ids.add(rule.rule_id))
    }
    return exhausted
  }
}

function limitedOf(
  organization_id: string,
  rules: LoadedRuleSet['ruleSet']['rules']
): readonly Limited[] {
  return rules
    .filter(({ budget }) => budget.on_exhausted === 'skip')
    .filter(({ budget }) => budget.calls_per_day !== null || budget.usd_per_day !== null)
    .map(({ rule_id, budget }) => ({ organization_id, rule_id, budget }))
}

function readSpend(postgres: Queryable, limited: readonly Limited[]): Promise<SpendRow[]> {
  return postgres.query<SpendRow>(
    `select organization_id, rule_id, sum(calls)::bigint as calls,
            sum(nano_usd)::bigint as nano_usd
       from evaluation_spend
       join unnest($1::uuid[], $2::text[]) as limited (organization_id, rule_id)
            using (organization_id, rule_id)
      where day = (now() at time zone 'utc')::date
      group by organization_id, rule_id`,
    [limited.map(({ organization_id }) => organization_id), limited.map(({ rule_id }) => rule_id)]
  )
}

function isSpent({ calls_per_day, usd_per_day }: RuleBudget, spend: SpendRow | undefined): boolean {
  const { calls, nano_usd } = spend ?? { calls: 0, nano_usd: 0 }
  if (calls_per_day !== null && calls >= calls_per_day) return true
  return usd_per_day !== null && nano_usd >= usd_per_day * nanoPerUsd
}

function nameOf({ organization_id, rule_id }: Pick<Limited, 'organization_id' | 'rule_id'>) {
  return `${organization_id}/${rule_id}`
}
