/** How decisions with some filters are found: through which index, and what is looked at then. */
import { agentIdOf } from '../../profiles/agent-name.ts'
import type { DecisionFilters } from './decision-query.ts'
import type { SortOrder } from './sort-order.ts'

/** Use an index only for texts that fit into it: see platform/postgres/text-condition.ts. */
const indexedBytesMax = 1024

export interface ScanPlan {
  /** What is walked in the order of time. */
  readonly table: 'decisions' | 'evaluations'
  /** The one filter that an index on time serves; a second one would be looked at row by row. */
  readonly served: { readonly column: ServedColumn; readonly value: string } | null
  /** In the words of the partial index that is to be walked. */
  readonly partial: string | null
  readonly filters: DecisionFilters
}

type ServedColumn = 'session_id' | 'agent_id' | 'domain'

/** Finds the few that are otherwise. */
interface PartialIndex {
  readonly table: ScanPlan['table']
  /** In its own words. */
  readonly condition: string
  /** Whether all that is asked for is in it, and not in less. */
  readonly isFor: (filters: DecisionFilters) => boolean
  /** The filter that says no more than the condition does. */
  readonly filter?: keyof DecisionFilters
}

const partialIndexes: readonly PartialIndex[] = [
  {
    table: 'evaluations',
    condition: `verdict <> 'pass'`,
    isFor: (filters) => isOfOutcomes(filters) && isAmong(filters.verdict, ['fail', 'mixed'])
  },
  {
    table: 'evaluations',
    condition: `status <> 'evaluated'`,
    isFor: (filters) =>
      isOfOutcomes(filters) && isAmong(filters.status, ['failed', 'partial', 'evaluating'])
  },
  {
    table: 'decisions',
    condition: 'is_error',
    isFor: (filters) => filters.is_error === true && servedOf(filters) === null,
    filter: 'is_error'
  }
]

/** What an outcome knows of its decision, beside what came of it. */
const knownToOutcomes = new Set<string>([
  ...['status', 'verdict', 'score'],
  ...['agent_id', 'session_id', 'domain']
])

export function scanPlanOf(filters: DecisionFilters, order: SortOrder): ScanPlan {
  const isOfMeasure = order.kind === 'measure'
  const index = isOfMeasure ? undefined : partialIndexes.find(({ isFor }) => isFor(filters))
  if (index !== undefined) {
    const { table, condition: partial, filter } = index
    return { table, served: null, partial, filters: without(filters, filter) }
  }
  const served = servedOf(filters)
  return { table: 'decisions', served, partial: null, filters: without(filters, served?.column) }
}

function without(filters: DecisionFilters, name?: keyof DecisionFilters): DecisionFilters {
  return name === undefined ? filters : { ...filters, [name]: undefined }
}

/** A session is smaller than what is unpassed of all; so it is walked instead. */
function isOfOutcomes(filters: DecisionFilters): boolean {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return given.every(([name]) => knownToOutcomes.has(name)) && filters.session_id === undefined
}

/** Decisions without an outcome are none of these. */
function isAmong<Value>(given: readonly Value[] | undefined, few: readonly Value[]): boolean {
  return given?.every((value) => few.includes(value)) ?? false
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
