/** One page of decisions: where they are, in the order that was asked for. */
import type { Clock } from '../../../core/clock.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { Problem } from '../../../core/problem.ts'
import type { OrganizationStore } from '../../store.ts'
import type { DecisionKey } from './scan-decisions.ts'
import { scannedMax, walkDecisions } from './walk-decisions.ts'
import type { Walk } from './walk-decisions.ts'

export interface PageQuery extends Omit<Walk, 'rowsMax' | 'lookedAtMax'> {
  readonly limit: number
}

export interface DecisionPage {
  readonly keys: readonly DecisionKey[]
  /** Null on the last page. */
  readonly next: CursorPosition | null
  /** Whether the order is that of a value, and not of time. */
  readonly isByValue: boolean
}

/** In the order of time a page may be short, or empty, and still have a next one. */
export async function selectDecisionPage(
  store: OrganizationStore,
  query: PageQuery,
  clock: Clock
): Promise<DecisionPage> {
  const { limit, order } = query
  if (order.kind !== 'time') return await selectSorted(store, query, clock)
  // One row more than was asked for tells whether there is another page.
  const { keys, endsAt } = await walkDecisions(store, { ...query, rowsMax: limit + 1 }, clock)
  const page = keys.slice(0, limit)
  const last = keys.length > limit ? page.at(-1) : undefined
  const next = last === undefined ? endsAt : { sort_key: last.sort_key, id: last.decision_id }
  return { keys: page, next, isByValue: false }
}

/** No index is in that order, so all of them are looked at, which have to be few. */
async function selectSorted(
  store: OrganizationStore,
  { limit, after, ...query }: PageQuery,
  clock: Clock
): Promise<DecisionPage> {
  const most = scannedMax + 1
  const walk = { ...query, after: null, rowsMax: most, lookedAtMax: most }
  const { keys, endsAt } = await walkDecisions(store, walk, clock)
  if (endsAt !== null || keys.length === most) throw rangeTooLarge(query.filters.q !== undefined)
  const compare = inOrder(query.order.descending)
  const sorted = keys.toSorted(compare)
  const behind = after === null ? sorted : sorted.filter((key) => compare(keyAt(after), key) < 0)
  const page = behind.slice(0, limit)
  const last = behind.length > limit ? page.at(-1) : undefined
  if (last === undefined) return { keys: page, next: null, isByValue: true }
  const { sort_key, decision_id: id, value } = last
  return { keys: page, next: { sort_key, id, value }, isByValue: true }
}

type Sortable = Pick<DecisionKey, 'decision_id' | 'sort_key' | 'value'>

function keyAt({ sort_key, id, value = null }: CursorPosition): Sortable {
  return { sort_key, decision_id: id, value }
}

/** What has no value comes last, whichever way; of one value the newest comes first. */
function inOrder(descending: boolean) {
  const sign = descending ? -1 : 1
  return (left: Sortable, right: Sortable): number => {
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
    ? 'A search can be sorted by received_at only, where there is as much to look through.'
    : `Only up to ${scannedMax} decisions can be sorted so; make the range or the filters narrower.`
  return new Problem('range_too_large', { detail, members: { limit: scannedMax } })
}
