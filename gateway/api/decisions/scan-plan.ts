/** How decisions with some filters are found: through which index, and what is looked at then. */
import { agentIdOf } from '../profiles/agent-name.ts'
import type { DecisionFilters } from './decision-query.ts'
import type { SortOrder } from './sort-order.ts'

/** An index is only asked for texts that fit it: see platform/text-condition.ts. */
const indexedBytesMax = 1024

export interface ScanPlan {
  /** What is walked in the order of time. */
  readonly table: 'decisions' | 'decision_outcomes'
  /** The one filter that an index on time serves; a second one would be looked at row by row. */
  readonly served: { readonly column: ServedColumn; readonly value: string } | null
  /** In the words of the partial index that is to be walked. */
  readonly partial: string | null
  readonly filters: DecisionFilters
}

type ServedColumn = 'session_id' | 'agent_id' | 'domain'

/** Found by the few that are otherwise; decisions without an outcome are none of these. */
const partialIndexes = [
  { filter: 'verdict', values: ['fail', 'mixed'], condition: `verdict <> 'pass'` },
  {
    filter: 'status',
    values: ['failed', 'partial', 'evaluating'],
    condition: `status <> 'evaluated'`
  }
] as const

/** Errors are few, and have an index of their own. */
const errorsCondition = 'is_error'

/** What an outcome knows of its decision, beside what came of it. */
const knownToOutcomes = new Set<string>([
  ...['status', 'verdict', 'score'],
  ...['agent_id', 'session_id', 'domain']
])

export function scanPlanOf(filters: DecisionFilters, order: SortOrder): ScanPlan {
  const partial = order.kind === 'measure' ? null : partialOf(filters)
  if (partial !== null) return { table: 'decision_outcomes', served: null, partial, filters }
  const served = servedOf(filters)
  const { is_error, ...others } = filters
  if (served === null && is_error === true && order.kind !== 'measure') {
    return { table: 'decisions', served, partial: errorsCondition, filters: others }
  }
  const rest = served === null ? filters : { ...filters, [served.column]: undefined }
  return { table: 'decisions', served, partial: null, filters: rest }
}

/** A session is smaller than what is unpassed of all; so it is walked instead. */
function partialOf(filters: DecisionFilters): string | null {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const isKnown = given.every(([name]) => knownToOutcomes.has(name))
  if (!isKnown || filters.session_id !== undefined) return null
  const found = partialIndexes.find(({ filter, values }) =>
    filters[filter]?.every((value) => (values as readonly string[]).includes(value))
  )
  return found?.condition ?? null
}

function servedOf({ session_id, agent_id, domain = [] }: DecisionFilters): ScanPlan['served'] {
  if (session_id !== undefined && isIndexed(session_id)) {
    return { column: 'session_id', value: session_id }
  }
  const agentId = agentIdOf(agent_id ?? '')
  if (agentId !== '' && isIndexed(agentId)) return { column: 'agent_id', value: agentId }
  const [only] = domain
  return only !== undefined && domain.length === 1 && isIndexed(only)
    ? { column: 'domain', value: only }
    : null
}

function isIndexed(text: string): boolean {
  return Buffer.byteLength(text) <= indexedBytesMax
}
