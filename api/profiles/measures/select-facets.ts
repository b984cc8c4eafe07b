/** The versions, models and SDKs of an agent: when each was seen, and what it did. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import type { HourRange } from '../../stats/hour-range.ts'
import { dayMs, rangeDaysMax } from '../../stats/hour-range.ts'
import { rateOf } from '../../stats/metrics.ts'
import { floatOf } from '../../stats/select-sums.ts'
import type { FacetName } from '../../stats/sum-sources.ts'
import type { OrganizationStore } from '../../store.ts'

export interface FacetRow extends Row {
  readonly facet: FacetName
  readonly value: string
  readonly first_hour: Date
  readonly last_hour: Date
  /** These are of the range; when it was seen is of more. */
  readonly decisions: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly input_tokens_known: number
  readonly output_tokens_known: number
  readonly errors: number
  readonly errors_known: number
  readonly latency_ms: number
  readonly latency_known: number
}

export const facetValuesMax = 50

const summed = [
  ...['decisions', 'input_tokens', 'output_tokens', 'input_tokens_known', 'output_tokens_known'],
  ...['errors', 'errors_known', 'latency_ms', 'latency_known']
]

/** Of each facet the values that were seen last. */
export async function selectFacets(
  store: OrganizationStore,
  agentId: string,
  { from, to }: HourRange
): Promise<readonly FacetRow[]> {
  const sums = summed.map((name) => {
    return `${floatOf(`coalesce(sum(${name}) filter (where hour >= $4), 0)`)} as ${name}`
  })
  return await store.query<FacetRow>(
    `with seen as (
       select facet, value, min(hour) as first_hour, max(hour) as last_hour, ${sums.join(', ')}
         from decision_facet_hours
        where organization_id = $1
          and agent_id = $2
          and hour >= $3
          and hour < $5
          and decisions > 0
        group by facet, value
     ), placed as (
       select seen.*, row_number() over (partition by facet
                                         order by last_hour desc, decisions desc, value) as place
         from seen
     )
     select * from placed where place <= ${facetValuesMax} order by facet, place`,
    [
      ...[store.organizationId, agentId, new Date(to - rangeDaysMax * dayMs).toISOString()],
      ...[new Date(from).toISOString(), new Date(to).toISOString()]
    ]
  )
}

/** How many hours back it is looked for when something was first seen. */
export function facetView(row: FacetRow) {
  const { value, first_hour, last_hour, decisions, errors, errors_known } = row
  return {
    value,
    first_seen: first_hour.toISOString(),
    last_seen: last_hour.toISOString(),
    decisions,
    input_tokens: row.input_tokens_known === 0 ? null : row.input_tokens,
    output_tokens: row.output_tokens_known === 0 ? null : row.output_tokens,
    error_rate: rateOf(errors, errors_known),
    latency_ms: meanLatencyOf(row)
  }
}

/** Of their squares nothing is kept, so the mean has no interval. */
export function meanLatencyOf({
  latency_ms = 0,
  latency_known = 0
}: {
  readonly latency_ms?: number
  readonly latency_known?: number
}) {
  return { value: latency_known === 0 ? null : latency_ms / latency_known, n: latency_known }
}
