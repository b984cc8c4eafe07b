/** GET /v1/decisions/facets: which values a filter finds something with, and how much. */
import type { Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { agentIdOf, agentNameOf } from '../profiles/agent-name.ts'
import type { OrganizationStore } from '../store.ts'
import { rangeOf } from '../time-page.ts'
import type { TimeRange } from '../time-range.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import type { ListDecisionsDependencies } from './list/list-decisions.ts'

export const facetFields = [
  ...['agent_id', 'domain', 'model', 'agent_version', 'sdk_version'],
  ...['status', 'verdict']
]

interface FacetQuery {
  readonly field: string
  readonly from?: string
  readonly to?: string
  readonly agent_id?: string
  readonly limit: number
}

interface FacetRow extends Row {
  readonly value: string | null
  readonly decisions: number
}

/** Sums of whole hours. */
const ofHours = `organization_id = $1
        and hour >= date_trunc('hour', $2::timestamptz, 'UTC')
        and ($3::timestamptz is null or hour < $3)
        and ($4::text is null or agent_id = $4)`

export function createReadFacets(
  dependencies: Omit<ListDecisionsDependencies, 'readEvaluations'>
): SessionHandle {
  const { store, decisionsTopic, clock } = dependencies

  return async function readFacets(call) {
    const { field, limit, from, to, agent_id } = call.query as unknown as FacetQuery
    const range = rangeOf({ from, to }, clock.now())
    const ours = store.of(call.principal.organization_id)
    const watermark = await readWatermark(ours, decisionsTopic)
    const values = valuesOf(ours, range, agent_id)
    const rows = await ours.query<FacetRow>(statementOf(field, limit + 1), [
      ...values,
      ...(isReported(field) ? [field] : [])
    ])
    const data = rows.slice(0, limit).map(({ value, decisions }) => {
      return { value: shownAs(field, value), decisions }
    })
    const applied = { from: range.from, to: range.to, field, agent_id }
    const meta = { limit, has_more: rows.length > limit, ...lagOf(watermark, clock), applied }
    return jsonReply(200, JSON.stringify({ data, meta }))
  }
}

function valuesOf(store: OrganizationStore, range: TimeRange, agent: string | undefined) {
  const { from, to } = range
  const agentId = agent === undefined ? null : agentIdOf(agent)
  return [store.organizationId, from.toISOString(), to?.toISOString() ?? null, agentId]
}

function isReported(field: string): boolean {
  return field === 'model' || field.endsWith('_version')
}

function statementOf(field: string, rowsMax: number): string {
  return `select value, sum(decisions)::bigint as decisions
            from (${sourceOf(field)}) as hours
           group by value
          having sum(decisions) > 0
           order by decisions desc, value collate "C"
           limit ${rowsMax}`
}

/** The names of the columns are ours. */
function sourceOf(field: string): string {
  if (isReported(field)) {
    return `select value, decisions from decision_facet_hours where ${ofHours} and facet = $5`
  }
  const column = field === 'domain' ? 'domain' : 'agent_id'
  if (field !== 'status' && field !== 'verdict') {
    return `select ${column} as value, decisions from decision_hours where ${ofHours}`
  }
  // Decisions of which no run is stored have no outcome: they are what the others leave.
  const none = field === 'verdict' ? `'none'` : 'null'
  return `select ${field} as value, decisions from outcome_hours where ${ofHours}
          union all
          select ${none}, decisions from decision_hours where ${ofHours}
          union all
          select ${none}, -decisions from outcome_hours where ${ofHours}`
}

/** An empty text stands for what is not there; agents have a name for that. */
function shownAs(field: string, value: string | null): string | null {
  if (field === 'agent_id') return agentNameOf(value ?? '')
  return value === '' && field === 'domain' ? null : value
}
