/** Cursors of lists: where the next page begins, and for which filters that is true.
 *
 * A cursor is base64url of `[sort key, id, hash of the filters]`, and of `[value]` behind those in
 * a list that is sorted by something else than time. It is no secret and not signed: a
 * forged one only moves its caller inside what that caller may read, so only its shape is checked.
 */
import { createHash } from 'node:crypto'
import { isUuid } from './ids/ids.ts'

/** The last row of a page; the next page holds what comes behind it. */
export interface CursorPosition {
  /** RFC 3339 in UTC with microseconds, as the store prints it: milliseconds would skip rows. */
  readonly sort_key: string
  /** One UUID, or two with a slash between them, depending on the list. */
  readonly id: string
  /** What the list is sorted by, where that is not the time; null where the row has none. */
  readonly value?: number | null
}

export type Filters = Readonly<Record<string, string | undefined>>

export type ReadCursor =
  | { readonly kind: 'position'; readonly position: CursorPosition }
  /** Not one of ours, or cut off. */
  | { readonly kind: 'garbled' }
  /** Ours, and made for a list with other filters. */
  | { readonly kind: 'other_filters' }

/** Far above any cursor we make, far below what would be work to decode. */
const cursorCharsMax = 512
const filterHashChars = 16
const sortKeyExpression = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/
const garbled: ReadCursor = Object.freeze({ kind: 'garbled' })

export function writeCursor(position: CursorPosition, filters: Filters): string {
  const { sort_key, id, value } = position
  const parts = [sort_key, id, hashOf(filters), ...(value === undefined ? [] : [[value]])]
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url')
}

/** @param ids the number of UUIDs in a position of the list */
export function readCursor(text: string, filters: Filters, ids: 1 | 2 = 1): ReadCursor {
  const [sort_key, id, filterHash, ...others] = partsOf(text)
  if (typeof sort_key !== 'string' || !isInstant(sort_key)) return garbled
  if (typeof id !== 'string' || !areUuids(id, ids) || !isValue(others)) return garbled
  if (filterHash !== hashOf(filters)) return { kind: 'other_filters' }
  const [[value] = []] = others
  return { kind: 'position', position: { sort_key, id, ...(value !== undefined && { value }) } }
}

function areUuids(id: string, count: number): boolean {
  const uuids = id.split('/')
  return uuids.length === count && uuids.every(isUuid)
}

/** Nothing, or a list of the value alone. */
function isValue(others: readonly unknown[]): others is readonly (readonly (number | null)[])[] {
  const [list, ...more] = others
  if (list === undefined) return others.length === 0
  if (!Array.isArray(list) || list.length !== 1 || more.length > 0) return false
  const [value] = list as unknown[]
  return value === null || typeof value === 'number'
}

function partsOf(text: string): readonly unknown[] {
  if (text.length > cursorCharsMax) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Also refuses 30 February, and years at the end of what the store takes: lists add days to it. */
function isInstant(text: string): boolean {
  const seconds = sortKeyExpression.exec(text)?.[1]
  if (seconds === undefined || /^(?:0000|9999)/.test(seconds)) return false
  const time = new Date(`${seconds}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(seconds)
}

/** The order in which filters were given does not matter; an absent one is no filter. */
function hashOf(filters: Filters): string {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, filterHashChars)
}
