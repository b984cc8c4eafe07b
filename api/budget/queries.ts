/** Reads and writes the spending limits for judges, and reads the amounts spent. */
import { nanoUsdOf } from '../../core/evaluation/usd.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import type { BudgetView, NewLimits } from './schemas.ts'

/**
 * The current UTC day according to the database clock. The same clock determines which day a call's
 * cost counts toward.
 */
const today = sql`(now() at time zone 'utc')::date`

type LimitsRow = Pick<BudgetView, 'alert_at'> &
  BudgetView['reset_at'] & {
    readonly nano_usd_per_day: number | null
    readonly nano_usd_per_month: number | null
  }

/** Reads the limits, and the times at which the daily and the monthly limit reset. */
export async function readLimits(ours: OrganizationRows): Promise<LimitsRow> {
  const rows = await query<LimitsRow>(
    ours,
    sql`select b.nano_usd_per_day, b.nano_usd_per_month, b.alert_at,
               (${today} + 1)::timestamp at time zone 'utc' as day,
               (date_trunc('month', ${today}::timestamp) + interval '1 month') at time zone 'utc'
                 as month
          from (select 1) always
          left join evaluation_budgets b on b.organization_id = ${ours.organizationId}`
  )
  return (rows as [LimitsRow])[0]
}

export async function writeLimits(
  edit: Edit,
  { usd_per_day, usd_per_month, alert_at = null }: NewLimits
): Promise<void> {
  await query(
    edit,
    sql`insert into evaluation_budgets (organization_id, nano_usd_per_day, nano_usd_per_month,
                                        alert_at)
        values (${edit.organizationId}, ${nanoOrNull(usd_per_day)}, ${nanoOrNull(usd_per_month)},
                ${alert_at})
        on conflict (organization_id) do update
           set nano_usd_per_day = excluded.nano_usd_per_day,
               nano_usd_per_month = excluded.nano_usd_per_month,
               alert_at = excluded.alert_at, updated_at = now()`
  )
}

function nanoOrNull(usd: number | null = null): number | null {
  return usd === null ? null : nanoUsdOf(usd)
}

type SpendRow = Omit<BudgetView['by_evaluator'][number], 'usd'> & {
  readonly nano_usd: number
  readonly nano_usd_today: number
}

/**
 * Reads the spending of this month by evaluator. Casts the sums to bigint because Postgres sums
 * bigints as numeric, which the driver returns as text. The sums stay far below 2^53.
 */
export function readSpending(ours: OrganizationRows) {
  return query<SpendRow>(
    ours,
    sql`select s.evaluator_id, max(e.name) as evaluator, sum(s.calls)::bigint as calls,
               sum(s.input_tokens)::bigint as input_tokens,
               sum(s.output_tokens)::bigint as output_tokens, sum(s.nano_usd)::bigint as nano_usd,
               coalesce(sum(s.nano_usd) filter (where s.day = ${today}), 0)::bigint
                 as nano_usd_today,
               sum(s.unpriced_calls)::bigint as unpriced_calls
          from evaluation_spend s
          left join evaluators e
            on e.organization_id = s.organization_id and e.evaluator_id = s.evaluator_id
         where s.organization_id = ${ours.organizationId}
           and s.day >= date_trunc('month', ${today}::timestamp)::date
         group by s.evaluator_id
         order by sum(s.nano_usd) desc, s.evaluator_id`
  )
}
