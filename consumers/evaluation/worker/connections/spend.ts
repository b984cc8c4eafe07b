/** Adds up the cost of judge calls, and checks whether a budget allows another call. */
import type { RuleBudget } from '../../../../core/evaluation/rule.ts'
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { PendingRun } from '../pending-run.ts'

export interface Spending {
  /** -1 corrects a call that was counted in advance but not made. */
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly nano_usd: number
  /** Number of calls with an unknown price. */
  readonly unpriced_calls: number
}

export const noSpending: Spending = Object.freeze({
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  nano_usd: 0,
  unpriced_calls: 0
})

/**
 * Adds spending to the current UTC day. `calls` may be negative, but the sum never falls below 0.
 */
export async function addSpending(
  transaction: Queryable,
  { organization_id, rule_id, evaluator_id }: PendingRun,
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
      organization_id,
      rule_id,
      evaluator_id,
      calls,
      input_tokens,
      output_tokens,
      nano_usd,
      unpriced_calls
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
  /** Start of the next UTC day. */
  readonly tomorrow: Date
}

/**
 * `left`: a call is allowed. `skip`: the budget is used up, and the run is skipped. `wait`: the
 * budget is used up, and the run waits until the next day.
 */
type BudgetStatus =
  | { readonly kind: 'left' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'wait'; readonly until: Date }

const nanoPerUsd = 1e9

/**
 * Checks the budgets. Concurrent runs cannot all take the last allowed call, because the
 * transaction holds a lock on the rule until it ends. A run can still exceed the limit on calls if
 * its attempt sends more than one request. Calls in progress can exceed the limit on cost, because
 * the cost of a call is known only when the call ends.
 */
export async function readBudget(transaction: Queryable, run: PendingRun): Promise<BudgetStatus> {
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

async function readSpent(transaction: Queryable, run: PendingRun): Promise<Spent> {
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
  if (spent === undefined) throw new Error('the budget query returned no row')
  return spent
}
