/** Sorts agents, selects a page, and formats and parses its cursor. */
import { formatParts, hashOf, parseParts } from '../../core/cursor.ts'
import type { Filters } from '../../core/cursor.ts'
import { invalidQuery } from '../page.ts'

export const sortNames = ['volume', 'last_seen', 'name', 'pass_rate', 'cost'] as const
export type SortName = (typeof sortNames)[number]

/** Value to sort an agent by; null if unknown. */
export type SortValue = string | number | null

interface SortedAgent {
  readonly agentId: string
  readonly sortValue: SortValue
}

interface AgentPageQuery {
  /** Name of the sort order, prefixed with `-` for descending. */
  readonly sort: string
  readonly limit: number
  readonly cursor?: string | undefined
  /** The remaining query parameters. A cursor is only valid with the same parameters. */
  readonly filters: Filters
}

/**
 * Maximum length of a cursor. Sufficient for a name and an id of 255 characters each, even if every
 * character takes four bytes or is escaped.
 */
export const cursorCharsMax = 6000

/**
 * Returns a page of agents in the requested order.
 * @throws {Problem} 422 if the cursor is malformed or belongs to a list with other parameters
 */
export function agentPage<T extends SortedAgent>(
  all: readonly T[],
  { sort, limit, cursor, filters }: AgentPageQuery
) {
  const compare = comparing(sort.startsWith('-'))
  const hash = hashOf({ ...filters, sort })
  const after = cursor === undefined ? null : positionFrom(cursor, hash)
  const rest = all.filter((each) => after === null || compare(each, after) > 0).toSorted(compare)
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  const next_cursor = last === undefined ? null : formatParts([last.sortValue, last.agentId, hash])
  return { page, next_cursor }
}

/**
 * Returns a comparison function. Unknown values sort last in either direction. Ties are broken by
 * agent id.
 */
function comparing(descending: boolean) {
  return (left: SortedAgent, right: SortedAgent): number => {
    const order = compareValues(left.sortValue, right.sortValue, descending)
    return order === 0 ? compareTexts(left.agentId, right.agentId) : order
  }
}

function compareValues(left: SortValue, right: SortValue, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  const order =
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : compareTexts(String(left), String(right))
  return descending ? -order : order
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function positionFrom(cursor: string, expectedHash: string): SortedAgent {
  const [sortValue, agentId, hash, ...others] = parseParts(cursor, cursorCharsMax)
  const isValue = sortValue === null || ['string', 'number'].includes(typeof sortValue)
  if (!isValue || typeof agentId !== 'string' || others.length > 0) {
    throw wrongCursor('is not a valid cursor; send `meta.next_cursor` unchanged')
  }
  if (hash !== expectedHash) {
    throw wrongCursor(
      'belongs to a list with other parameters; send the same parameters, or omit the cursor'
    )
  }
  return { sortValue: sortValue as SortValue, agentId }
}

function wrongCursor(detail: string) {
  return invalidQuery([{ pointer: '/cursor', detail }])
}
