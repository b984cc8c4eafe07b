/** Walks decisions piece by piece until there are enough, or enough were looked at. */
import type { Clock } from '../../../core/clock.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'
import type { DecisionFilters } from './decision-query.ts'
import { scanDecisions } from './scan-decisions.ts'
import type { DecisionKey } from './scan-decisions.ts'
import { scanPlanOf } from './scan-plan.ts'
import type { SortOrder } from './sort-order.ts'
import { timePiecesOf } from './time-pieces.ts'

export interface Walk {
  readonly range: TimeRange
  readonly filters: DecisionFilters
  readonly order: SortOrder
  readonly after: CursorPosition | null
  readonly rowsMax: number
  /** Rows that are looked at; `scannedMax` when it is not said. */
  readonly lookedAtMax?: number
}

export interface Walked {
  readonly keys: readonly DecisionKey[]
  /** Up to here all were looked at; null when that is the whole range, or enough were found. */
  readonly endsAt: CursorPosition | null
}

/** Rows that one page looks at. */
export const scannedMax = 20_000
/** Texts are longer than all else of a row. */
export const searchedMax = 5000
const searchedAtOnce = 200
const searchMs = 2000

export async function walkDecisions(
  store: OrganizationStore,
  walk: Walk,
  clock: Clock
): Promise<Walked> {
  const startedAt = clock.now()
  const keys: DecisionKey[] = []
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

/** Rows to look at, in all and with one statement, and for how long. */
function limitsOf({ filters, lookedAtMax = scannedMax }: Walk) {
  if (filters.q === undefined) return { inAll: lookedAtMax, atOnce: lookedAtMax, ms: Infinity }
  return { inAll: searchedMax, atOnce: searchedAtOnce, ms: searchMs }
}

/** What lies before the place where the page begins need not be opened. */
function piecesOf({ range, order, after }: Walk, now: number): readonly TimeRange[] {
  const isDescending = order.kind !== 'time' || order.descending
  if (isDescending) return timePiecesOf(isPast(range, after), now)
  const from = after === null ? range.from : new Date(after.sort_key)
  const rest = { ...range, from: from > range.from ? from : range.from }
  return timePiecesOf(rest, now).toReversed()
}

function isPast({ from, to }: TimeRange, after: CursorPosition | null): TimeRange {
  if (after === null) return { from, to }
  const end = new Date(new Date(after.sort_key).getTime() + 1)
  return { from, to: to === null || end < to ? end : to }
}
