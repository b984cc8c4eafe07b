/** How many decisions pass the filters: counted up to a bound, or taken from the sums by hour. */
import type { Clock } from '../../../core/clock.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { agentIdOf } from '../../profiles/agent-name.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'
import type { DecisionFilters } from './decision-query.ts'
import { walkDecisions } from './walk-decisions.ts'

export interface DecisionCount {
  readonly value: number
  /** `at_least` when counting was ended, `about` when the first and last hour count whole. */
  readonly relation: 'exact' | 'at_least' | 'about'
}

export const countedMax = 10_000

export async function countDecisions(
  store: OrganizationStore,
  { range, filters }: { range: TimeRange; filters: DecisionFilters },
  clock: Clock
): Promise<DecisionCount> {
  const order = { kind: 'time', descending: true } as const
  const walk = { range, filters, order, after: null, rowsMax: countedMax + 1 }
  const { keys, endsAt } = await walkDecisions(store, walk, clock)
  const value = Math.min(keys.length, countedMax)
  return { value, relation: keys.length > countedMax || endsAt !== null ? 'at_least' : 'exact' }
}

const summed = new Set(['agent_id', 'domain'])

/** Of filters that the sums know nothing of, it is counted instead. */
export async function estimateDecisions(
  store: OrganizationStore,
  { range, filters }: { range: TimeRange; filters: DecisionFilters },
  clock: Clock
): Promise<DecisionCount> {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const isSummed = given.every(([name]) => summed.has(name))
  if (!isSummed) return await countDecisions(store, { range, filters }, clock)
  const { agent_id = null, domain = null } = filters
  const [row] = await store.query<{ decisions: number } & Row>(
    `select coalesce(sum(decisions), 0)::bigint as decisions
       from decision_hours
      where organization_id = $1
        and hour >= date_trunc('hour', $2::timestamptz, 'UTC')
        and ($3::timestamptz is null or hour < $3)
        and ($4::text is null or agent_id = $4)
        and ($5::text[] is null or domain = any($5))`,
    [
      store.organizationId,
      range.from.toISOString(),
      range.to?.toISOString() ?? null,
      agent_id === null ? null : agentIdOf(agent_id),
      domain
    ]
  )
  return { value: row?.decisions ?? 0, relation: 'about' }
}
