/** List cursors: encode the last row of a page and the filters for which the cursor is valid.
 *
 * A cursor is the JSON array `[sort key, id, hash of the filters]` in base64url. If the list is not
 * sorted by time, `[value]` is a fourth item. A cursor is neither secret nor signed, because a
 * forged cursor only reaches rows that the caller may read anyway.
 */
import { createHash } from 'node:crypto'
import { isUuid } from './ids/ids.ts'

/** The last row of a page; the next page begins after it. */
export interface CursorPosition {
  /**
   * RFC 3339 in UTC with microseconds, the precision of Postgres. Truncating it to milliseconds
   * would skip rows.
   */
  readonly sort_key: string
  /** One UUID, or two separated by a slash, depending on the list. */
  readonly id: string
  /** Sort value of the row if the list is not sorted by time; null if the row has no value. */
  readonly value?: number | null
}

export type Filters = Readonly<Record<string, string | undefined>>

type ParsedCursor =
  | { readonly kind: 'position'; readonly position: CursorPosition }
  /** Not a Sluice cursor, or truncated. */
  | { readonly kind: 'malformed' }
  /** Created for a list with other filters. */
  | { readonly kind: 'other_filters' }

/**
 * Maximum length of a cursor in characters: well above any valid cursor, but still cheap to decode.
 */
const cursorCharsMax = 512
const filterHashChars = 16
const sortKeyExpression = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/
const malformed: ParsedCursor = Object.freeze({ kind: 'malformed' })

export function formatCursor(position: CursorPosition, filters: Filters): string {
  const { sort_key, id, value } = position
  return formatParts([sort_key, id, hashOf(filters), ...(value === undefined ? [] : [[value]])])
}

export function formatParts(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url')
}

/** @param ids the number of UUIDs in a row's id */
export function parseCursor(text: string, filters: Filters, ids: 1 | 2 = 1): ParsedCursor {
  const [sort_key, id, filterHash, ...others] = parseParts(text, cursorCharsMax)
  if (typeof sort_key !== 'string' || !isInstant(sort_key)) return malformed
  if (typeof id !== 'string' || !areUuids(id, ids) || !isValue(others)) return malformed
  if (filterHash !== hashOf(filters)) return { kind: 'other_filters' }
  const [[value] = []] = others
  return { kind: 'position', position: { sort_key, id, ...(value !== undefined && { value }) } }
}

function areUuids(id: string, count: number): boolean {
  const uuids = id.split('/')
  return uuids.length === count && uuids.every(isUuid)
}

/** Checks the part after the hash: nothing, or a list that contains only the sort value. */
function isValue(others: readonly unknown[]): others is readonly (readonly (number | null)[])[] {
  const [list, ...more] = others
  if (list === undefined) return others.length === 0
  if (!Array.isArray(list) || list.length !== 1 || more.length > 0) return false
  const [value] = list as unknown[]
  return value === null || typeof value === 'number'
}

/** @returns an empty list if the text is malformed or longer than `charsMax` */
export function parseParts(text: string, charsMax: number): readonly unknown[] {
  if (text.length > charsMax) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/**
 * Checks whether the text is a valid time. Rejects dates that do not exist, such as 30 February,
 * and the years 0000 and 9999, because lists add days to the time or subtract days from it.
 */
function isInstant(text: string): boolean {
  const seconds = sortKeyExpression.exec(text)?.[1]
  if (seconds === undefined || /^(?:0000|9999)/.test(seconds)) return false
  const time = new Date(`${seconds}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(seconds)
}

/** Hashes the filters, ignoring their order and undefined values. */
export function hashOf(filters: Filters): string {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, filterHashChars)
}
