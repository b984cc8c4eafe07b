/** What judges cost an organization today and this month, in days of UTC. */
import { usdOf } from '../../core/evaluation/usd.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'

interface SpendRow extends Row {
  readonly evaluator_id: string
  readonly evaluator: string | null
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly nano_usd: number
  readonly nano_usd_today: number
  readonly unpriced_calls: number
}

interface ResetRow extends Row {
  readonly day: Date
  readonly month: Date
}

/** The server's clock decides what a day is: it does where calls are counted as well. */
const today = `(now() at time zone 'utc')::date`
const evaluatorsShown = 200

export async function readSpending(ours: OrganizationRows) {
  const rows = await readSpend(ours)
  const [reset] = await ours.query<ResetRow>(
    `select (${today} + 1)::timestamp at time zone 'utc' as day,
            (date_trunc('month', ${today}::timestamp) + interval '1 month') at time zone 'utc'
              as month`
  )
  const sumOf = (name: 'nano_usd' | 'nano_usd_today' | 'unpriced_calls'): number =>
    rows.reduce((sum, row) => sum + row[name], 0)
  return {
    spent_today: usdOf(sumOf('nano_usd_today')),
    spent_month: usdOf(sumOf('nano_usd')),
    unpriced_calls: sumOf('unpriced_calls'),
    by_evaluator: rows.slice(0, evaluatorsShown).map(shareOf),
    reset_at: { day: reset?.day, month: reset?.month }
  }
}

/** Sums of bigints are numerics, and those are texts; no sum here comes near 2^53. */
function readSpend(ours: OrganizationRows): Promise<SpendRow[]> {
  return ours.query<SpendRow>(
    `select s.evaluator_id, max(e.name) as evaluator, sum(s.calls)::bigint as calls,
            sum(s.input_tokens)::bigint as input_tokens,
            sum(s.output_tokens)::bigint as output_tokens, sum(s.nano_usd)::bigint as nano_usd,
            coalesce(sum(s.nano_usd) filter (where s.day = ${today}), 0)::bigint as nano_usd_today,
            sum(s.unpriced_calls)::bigint as unpriced_calls
       from evaluation_spend s
       left join evaluators e
         on e.organization_id = s.organization_id and e.evaluator_id = s.evaluator_id
      where s.organization_id = $1
        and s.day >= date_trunc('month', ${today}::timestamp)::date
      group by s.evaluator_id
      order by sum(s.nano_usd) desc, s.evaluator_id`,
    [ours.organizationId]
  )
}

function shareOf(row: SpendRow) {
  const { evaluator_id, evaluator, calls, input_tokens, output_tokens } = row
  const { nano_usd, unpriced_calls } = row
  return {
    ...{ evaluator_id, evaluator, calls, input_tokens, output_tokens },
    ...{ usd: usdOf(nano_usd), unpriced_calls }
  }
}
