/** The newest decisions of an agent, for what no sum can tell: percentiles and sessions. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import { textCondition } from '../../../platform/postgres/text-condition.ts'
import { dayMs } from '../../stats/hour-range.ts'
import type { HourRange } from '../../stats/hour-range.ts'
import type { OrganizationStore } from '../../store.ts'

export const sampleMax = 5000
/** A statement that opens more days than this holds too many locks. */
const daysMax = 31
/** Of those that name no agent no index knows: so many decisions of any agent are looked at. */
const scannedMax = 20_000

export interface Sample extends Row {
  readonly n: number
  readonly since: Date | null
  /** Those of 0.5 and of 0.95; null where no decision of the sample tells it. */
  readonly input_tokens: readonly number[] | null
  readonly output_tokens: readonly number[] | null
  readonly latency_ms: readonly number[] | null
  readonly sessions: number
  readonly in_sessions: number
}

/** The bounds of the newest of an agent, and what stands behind `from`. */
export interface Newest {
  readonly rows: string
  readonly values: readonly unknown[]
}

/**
 * The sums say in which hour the oldest of them is, so that no older day is read. `$1` is the
 * organization, `$2` the agent, `$3` and `$4` the range.
 */
export function newestOf(
  store: OrganizationStore,
  agentId: string,
  { columns, range }: { readonly columns: string; readonly range: HourRange }
): Newest {
  const from = Math.max(range.from, range.to - daysMax * dayMs)
  const since = `(select coalesce(min(hour), $3) from (
            select hour, sum(sum(decisions)) over (order by hour desc) - sum(decisions) as newer
              from decision_hours
             where organization_id = $1
               and agent_id = $2
               and hour >= $3
               and hour < $4
               and decisions > 0
             group by hour) hours
            where newer < ${sampleMax})`
  const bounded = `from decisions
             where organization_id = $1
               and received_at >= $3
               and received_at >= ${since}
               and received_at < $4`
  const order = 'order by received_at desc, decision_id desc'
  const rows =
    agentId === ''
      ? `(select ${columns} from (select ${columns}, agent_id ${bounded} ${order}
            limit ${scannedMax}) scanned
          where coalesce(agent_id, '') = $2 limit ${sampleMax})`
      : `(select ${columns} ${bounded}
               and ${textCondition('agent_id', agentId, '$2')}
             ${order} limit ${sampleMax})`
  const times = [from, range.to].map((time) => new Date(time).toISOString())
  return { rows, values: [store.organizationId, agentId, ...times] }
}

export async function selectSample(
  store: OrganizationStore,
  agentId: string,
  range: HourRange
): Promise<Sample> {
  const columns = 'received_at, session_id, input_tokens, output_tokens, latency_ms'
  const { rows, values } = newestOf(store, agentId, { columns, range })
  const percentiles = ['input_tokens', 'output_tokens', 'latency_ms'].map((column) => {
    return `percentile_disc(array[0.5, 0.95]) within group (order by ${column})::float8[]
              as ${column}`
  })
  const [sample] = await store.query<Sample>(
    `select count(*) as n, min(received_at) as since, ${percentiles.join(', ')},
            count(distinct session_id) as sessions, count(session_id) as in_sessions
       from ${rows} newest`,
    values
  )
  return sample as Sample
}
