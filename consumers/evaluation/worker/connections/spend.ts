/** What judges cost, and whether a budget leaves room for one more call. */
import type { RuleBudget } from '../../../../core/evaluation/rule.ts'
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { OpenRun } from '../open-run.ts'

export interface Spending {
  /** Or -1: one that was counted was not made. */
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly nano_usd: number
  /** Calls whose price is not known. */
  readonly unpriced_calls: number
}

export const noSpending: Spending = Object.freeze({
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  nano_usd: 0,
  unpriced_calls: 0
})

/** Adds to the sums of the day it is, in UTC. Of calls there may be one less, and never below 0. */
export async function addSpending(
  transaction: Queryable,
  { organization_id, rule_id, evaluator_id }: OpenRun,
  spending: Spending
): Promise<void> {
  const { calls, input_tokens, output_tokens, nano_usd, unpriced_calls } = spending
  await transaction.query(
    `insert into evaluation_spend as s (organization_id, rule_id, evaluator_id, day, calls,
                                        input_tokens, output_tokens, nano_usd, unpriced_calls)
     values ($1, $2, $3, (now() at time zone 'utc')::date, greatest($4::bigint, 0), $5, $6, $7, $8)
     on conflict (organization_id, day, rule_id, evaluator_id) do update
        set calls = greatest(s.calls + $4::bigint, 0),
            input_tokens = s.input_tokens + excluded.input_tokens,
            output_tokens = s.output_tokens + excluded.output_tokens,
            nano_usd = s.nano_usd + excluded.nano_usd,
            unpriced_calls = s.unpriced_calls + excluded.unpriced_calls`,
    [
      ...[organization_id, rule_id, evaluator_id],
      ...[calls, input_tokens, output_tokens, nano_usd, unpriced_calls]
    ]
  )
}

interface Spent extends Row {
  readonly rule_calls: number
  readonly rule_nano_usd: number
  readonly day_nano_usd: number
  readonly month_nano_usd: number
  readonly day_max: number | null
  readonly month_max: number | null
  /** Midnight of the next UTC day. */
  readonly tomorrow: Date
}

/** `left`: there is room. Otherwise what becomes of the run. */
export type BudgetVerdict =
  | { readonly kind: 'left' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'wait'; readonly until: Date }

const nanoPerUsd = 1e9

/**
 * Calls are counted exactly: who asks holds the rule's count to the end of the transaction. Money
 * is known only once a call is back, so calls under way may pass a limit of it.
 */
export async function readBudget(transaction: Queryable, run: OpenRun): Promise<BudgetVerdict> {
  const budget = run.budget === null ? null : (JSON.parse(run.budget) as RuleBudget)
  if (budget !== null && budget.calls_per_day !== null) {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended($1, $2))`, [
      `${run.organization_id}/${run.rule_id}`,
      budgetLockSeed
    ])
  }
  const spent = await readSpent(transaction, run)
  if (!isExhausted(budget, spent)) return { kind: 'left' }
  return budget?.on_exhausted === 'wait'
    ? { kind: 'wait', until: spent.tomorrow }
    : { kind: 'skip' }
}

const budgetLockSeed = 5_904_127

function isExhausted(budget: RuleBudget | null, spent: Spent): boolean {
  const usd = budget?.usd_per_day ?? null
  return [
    [budget?.calls_per_day ?? null, spent.rule_calls],
    [usd === null ? null : Math.round(usd * nanoPerUsd), spent.rule_nano_usd],
    [spent.day_max, spent.day_nano_usd],
    [spent.month_max, spent.month_nano_usd]
  ].some(([most = null, used]) => most !== null && (used ?? 0) >= most)
}

async function readSpent(transaction: Queryable, run: OpenRun): Promise<Spent> {
  const [spent] = await transaction.query<Spent>(
    `with today as (select (now() at time zone 'utc')::date as day)
     select coalesce(sum(s.calls) filter (where s.day = t.day and s.rule_id = $2), 0)::bigint
              as rule_calls,
            coalesce(sum(s.nano_usd) filter (where s.day = t.day and s.rule_id = $2), 0)::bigint
              as rule_nano_usd,
            coalesce(sum(s.nano_usd) filter (where s.day = t.day), 0)::bigint as day_nano_usd,
            coalesce(sum(s.nano_usd), 0)::bigint as month_nano_usd,
            max(b.nano_usd_per_day) as day_max,
            max(b.nano_usd_per_month) as month_max,
            (max(t.day) + 1)::timestamp at time zone 'utc' as tomorrow
       from today as t
       left join evaluation_spend as s
         on s.organization_id = $1 and s.day >= date_trunc('month', t.day)::date
       left join evaluation_budgets as b on b.organization_id = $1`,
    [run.organization_id, run.rule_id]
  )
  if (spent === undefined) throw new Error('the sums of a budget have no row')
  return spent
}
