/** Searches a time range piece by piece until enough decisions match or the scan limit is reached.
 */
import type { Clock } from '../../core/clock.ts'
import type { CursorPosition } from '../../core/cursor.ts'
import { Problem } from '../../core/problem.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeRange } from '../time-range.ts'
import type { DecisionFilters } from './filters.ts'
import { countedMax } from './list-query.ts'
import type { SortOrder } from './list-query.ts'
import { isDescending, scanDecisions, scanPlanOf } from './scan-decisions.ts'
import type { ValuedKey } from './scan-decisions.ts'

const dayMs = 86_400_000
/**
 * Maximum length of a piece in days. A statement locks every partition it opens, and the number of
 * locks is limited.
 */
const daysMax = 32
/**
 * Maximum number of pieces of limited length. The rest of the range is a single piece, because few
 * organizations keep decisions for that long.
 */
const piecesMax = 40

/**
 * Splits a time range into pieces, newest first, so that each statement opens only a few daily
 * partitions. Most callers want the newest decisions, so the first piece covers at most one day,
 * the second two days, and each further piece is twice as long as the one before, up to `daysMax`.
 * All pieces but the last start at midnight UTC, like partitions.
 */
export function timePiecesOf({ from, to }: TimeRange, now: number): readonly TimeRange[] {
  const pieces: TimeRange[] = []
  let end = to
  const last = Math.min(to === null ? now : to.getTime() - 1, now)
  let edge = Math.floor(last / dayMs) * dayMs
  for (let days = 1; edge > from.getTime() && pieces.length < piecesMax; days *= 2) {
    const begin = new Date(edge)
    pieces.push({ from: begin, to: end })
    end = begin
    edge -= Math.min(days * 2, daysMax) * dayMs
  }
  return [...pieces, { from, to: end }]
}

interface DecisionPageQuery {
  readonly range: TimeRange
  readonly filters: DecisionFilters
  readonly order: SortOrder
  readonly after: CursorPosition | null
  readonly limit: number
}

interface Walk extends Omit<DecisionPageQuery, 'limit'> {
  readonly rowsMax: number
  /** Maximum number of rows to scan. Default: `scannedMax`. */
  readonly scanMax?: number
}

/** Maximum number of rows scanned for a page. */
export const scannedMax = 20_000
/**
 * Maximum number of rows scanned for a full-text search. Lower than `scannedMax`, because reading
 * texts is slower than reading other columns.
 */
const searchedMax = 5000
const searchedAtOnce = 200
const searchMs = 2000

/**
 * Returns the keys of matching decisions, at most `rowsMax`. `endsAt` is the position of the last
 * row scanned; it is null if the range was scanned completely or enough decisions were found.
 */
async function walkDecisions(store: OrganizationStore, walk: Walk, clock: Clock) {
  const startedAt = clock.now()
  const keys: ValuedKey[] = []
  const limits = limitsOf(walk)
  const plan = scanPlanOf(walk.filters, walk.order)
  let left = limits.inAll
  for (const piece of piecesOf(walk, startedAt)) {
    let { after } = walk
    do {
      const most = Math.min(left, limits.atOnce)
      const rowsMax = walk.rowsMax - keys.length
      const scan = { plan, order: walk.order, piece, after, scannedMax: most, rowsMax }
      const scanned = await scanDecisions(store, scan)
      keys.push(...scanned.keys)
      if (keys.length === walk.rowsMax) return { keys, endsAt: null }
      left -= scanned.scanned
      after = scanned.endsAt
      const isOver = left <= 0 || clock.now() - startedAt > limits.ms
      if (after !== null && isOver) return { keys, endsAt: after }
    } while (after !== null)
  }
  return { keys, endsAt: null }
}

/**
 * Returns the maximum number of rows in total and per statement, and the maximum time in
 * milliseconds.
 */
function limitsOf({ filters, scanMax = scannedMax }: Walk) {
  if (filters.q === undefined) return { inAll: scanMax, atOnce: scanMax, ms: Infinity }
  return { inAll: searchedMax, atOnce: searchedAtOnce, ms: searchMs }
}

/** Returns the pieces to scan, in order. Omits those that earlier pages have covered. */
function piecesOf({ range, order, after }: Walk, now: number): readonly TimeRange[] {
  if (isDescending(order)) return timePiecesOf(isPast(range, after), now)
  const from = after === null ? range.from : new Date(after.sort_key)
  const rest = { ...range, from: from > range.from ? from : range.from }
  return timePiecesOf(rest, now).toReversed()
}

function isPast({ from, to }: TimeRange, after: CursorPosition | null): TimeRange {
  if (after === null) return { from, to }
  const end = new Date(new Date(after.sort_key).getTime() + 1)
  return { from, to: to === null || end < to ? end : to }
}

export interface DecisionPage {
  readonly keys: readonly ValuedKey[]
  /** Null on the last page. */
  readonly next: CursorPosition | null
  /** Whether the page is sorted by a value rather than by time. */
  readonly isByValue: boolean
}

/**
 * Selects the keys of the decisions on a page. A page sorted by time can be short or empty although
 * more pages follow, because each page scans a limited number of rows.
 */
export async function selectDecisionPage(
  store: OrganizationStore,
  query: DecisionPageQuery,
  clock: Clock
): Promise<DecisionPage> {
  const { limit, order } = query
  if (order.kind !== 'time') return await selectSorted(store, query, clock)
  // Read one extra row to find out whether there is another page.
  const { keys, endsAt } = await walkDecisions(store, { ...query, rowsMax: limit + 1 }, clock)
  const page = keys.slice(0, limit)
  const last = keys.length > limit ? page.at(-1) : undefined
  const next = last === undefined ? endsAt : { sort_key: last.sort_key, id: last.decision_id }
  return { keys: page, next, isByValue: false }
}

/**
 * Selects a page sorted by a value. No index has this order, so every page scans all matching rows.
 * @throws {Problem} 422 if the scan reaches its limit on rows or time
 */
async function selectSorted(
  store: OrganizationStore,
  { limit, after, ...query }: DecisionPageQuery,
  clock: Clock
): Promise<DecisionPage> {
  const rowsMax = scannedMax + 1
  const walk = { ...query, after: null, rowsMax, scanMax: rowsMax }
  const { keys, endsAt } = await walkDecisions(store, walk, clock)
  if (endsAt !== null || keys.length === rowsMax) throw rangeTooLarge(query.filters.q !== undefined)
  const compare = inOrder(query.order.descending)
  const sorted = keys.toSorted(compare)
  const start = after && { value: null, ...after, decision_id: after.id }
  const rest = start === null ? sorted : sorted.filter((key) => compare(start, key) < 0)
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  if (last === undefined) return { keys: page, next: null, isByValue: true }
  const { sort_key, decision_id: id, value } = last
  return { keys: page, next: { sort_key, id, value }, isByValue: true }
}

/**
 * Returns a comparison function. Rows without a value sort last in either direction. Ties are
 * broken by time, newest first.
 */
function inOrder(descending: boolean) {
  const sign = descending ? -1 : 1
  return (left: ValuedKey, right: ValuedKey): number => {
    if (left.value !== right.value) {
      if (left.value === null) return 1
      if (right.value === null) return -1
      return sign * (left.value - right.value)
    }
    return byText(right.sort_key, left.sort_key) || byText(right.decision_id, left.decision_id)
  }
}

function byText(left: string, right: string): number {
  return Number(left > right) - Number(left < right)
}

function rangeTooLarge(isSearch: boolean): Problem {
  const detail = isSearch
    ? 'Too many decisions to sort. Sort the search by received_at, or use a narrower range or ' +
      'filters.'
    : `Only up to ${scannedMax} decisions can be sorted this way. Use a narrower range or filters.`
  const limit = isSearch ? searchedMax : scannedMax
  return new Problem('range_too_large', { detail, members: { limit } })
}

/** Counts the decisions that match filters, up to `countedMax` and the limits of a walk. */
export async function countDecisions(
  store: OrganizationStore,
  query: Pick<DecisionPageQuery, 'range' | 'filters'>,
  clock: Clock
) {
  const order = { kind: 'time', descending: true } as const
  const walk = { ...query, order, after: null, rowsMax: countedMax + 1 }
  const { keys, endsAt } = await walkDecisions(store, walk, clock)
  const isCut = keys.length > countedMax || endsAt !== null
  const value = Math.min(keys.length, countedMax)
  return { value, relation: isCut ? 'at_least' : 'exact' } as const
}
