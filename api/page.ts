/** Pagination: the parameters, response members and cursors that all lists share, and the
 * serialization of long lists.
 */
import { formatCursor, parseCursor } from '../core/cursor.ts'
import type { CursorPosition, Filters } from '../core/cursor.ts'
import { Problem, sentenceOf } from '../core/problem.ts'
import type { Violation } from '../core/problem.ts'
import { jsonReply } from '../http/call.ts'
import type { Reply } from '../http/call.ts'
import { allOptional, integer, listOf, objectOf, optional, orNull } from '../http/schema.ts'
import { schemaFor, text, timeWith, withDefault } from '../http/schema.ts'
import type { TObject, TProperties, TSchema } from '../http/schema.ts'
import { sql } from '../platform/postgres/sql.ts'
import type { Sql } from '../platform/postgres/sql.ts'
import { yieldToEventLoop } from '../platform/process/yield-to-event-loop.ts'
import { plainText } from './response-schemas.ts'
import { defaultRangeDays, readTimeRange } from './time-range.ts'
import type { TimeRange, TimeTexts } from './time-range.ts'

export const limitDefault = 50
const limitMax = 200
/** Maximum value of the Postgres type integer. */
const versionMax = 2 ** 31 - 1

/** Returns the schema of a text to compare with stored texts. */
export function textFilter(description: string, maxLength: number) {
  return text({ minLength: 1, maxLength, pattern: plainText, description })
}

/**
 * Returns the query parameters `from` and `to`.
 * @param what what happened in the range, for example `Received`
 * @param limits further limits on the range
 */
export function timeParameters(what: string, limits = '.') {
  const from =
    `${what} at or after this time: RFC 3339, or relative such as -24h. Default: ` +
    `${defaultRangeDays} days before \`to\`${limits}`
  const to = `${what} before this time: RFC 3339, -24h or now. Default: no end.`
  return allOptional({ from: textFilter(from, 40), to: textFilter(to, 40) })
}

/** Returns the query parameter that limits the number of entries in a response. */
export function limitParameter(
  description: string,
  { maximum, byDefault }: { maximum: number; byDefault: number }
) {
  return withDefault(integer({ minimum: 1, maximum, default: byDefault, description }))
}

export function cursorParameter(maxLength: number) {
  const description = 'The `meta.next_cursor` of the previous page. Omit it for the first page.'
  return optional(textFilter(description, maxLength))
}

/**
 * Returns the query parameters of a list.
 * @param what the entries, for example `deliveries`
 */
export function pageQuery(what: string) {
  return {
    limit: limitParameter(`The maximum number of ${what} on a page.`, {
      maximum: limitMax,
      byDefault: limitDefault
    }),
    cursor: cursorParameter(512)
  }
}

const metaMembers = {
  next_cursor: orNull(text({ description: 'Null on the last page.' }), { example: null }),
  limit: integer({ example: limitDefault })
}

/** Response members that report how far storage has processed a topic. */
export const lagMembers = {
  as_of: orNull(
    timeWith({
      description: 'All data accepted before this time is stored. Null while unknown.',
      example: '2026-01-31T12:00:05.000Z'
    })
  ),
  lag_ms: orNull(integer({ description: 'Milliseconds since `as_of`.', example: 240 }))
}

export const listMeta = objectOf({ ...metaMembers, ...lagMembers })

/** Returns the schema of a page. */
export function pageOf<T extends TSchema>(entry: T) {
  return objectOf({ data: listOf(entry), meta: objectOf(metaMembers) })
}

/**
 * Returns the schema of the response to a deletion.
 * @param name the name of the member that identifies the deleted object
 */
export function deletedOf<N extends string, T extends TProperties & Record<N, TSchema>>(
  name: N,
  deleted: TObject<T>
) {
  type Deleted = Readonly<Record<N, string>> & { readonly deleted: true }
  const id = deleted.properties[name]
  return schemaFor<Deleted>({
    ...objectOf({ [name]: id, deleted: schemaFor<true>({ const: true }) })
  })
}

/** Returns SQL for the column `sort_key`, in the format that cursors contain. */
export function sortKey(column: Sql): Sql {
  return sql`${microseconds(column)} as sort_key`
}

/** Returns SQL that formats a time as text in UTC, with microseconds. */
export function microseconds(column: Sql): Sql {
  return sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/**
 * Creates a page of rows that are sorted by time.
 * @param rows the rows read: one more than `limit` if there is another page
 * @param options `id` is the name of the member that identifies a row
 */
export function timePage<K extends string, R extends Readonly<Record<K | 'sort_key', string>>>(
  rows: readonly R[],
  { limit, filters, id }: { limit: number; filters: Filters; id: K }
) {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const next_cursor =
    last === undefined ? null : formatCursor({ sort_key: last.sort_key, id: last[id] }, filters)
  return { data: shown.map(({ sort_key: _, ...row }) => row), meta: { next_cursor, limit } }
}

/**
 * Sorts a list by a member, and returns the page that starts after the cursor. The list must be
 * short, because it is read completely.
 * @param key the name of the member; its values are unique
 * @throws {Problem} 422 for a malformed cursor
 */
export function listPage<K extends string, T extends Readonly<Record<K, string>>>(
  entries: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  key: K
) {
  const after = cursor === undefined ? '' : keyFrom(cursor)
  const rest = entries.filter((entry) => entry[key] > after)
  const sorted = rest.toSorted((left, right) => (left[key] < right[key] ? -1 : 1))
  const page = sorted.slice(0, limit)
  const last = sorted.length > limit ? page.at(-1) : undefined
  const next_cursor = last === undefined ? null : cursorOf(last[key])
  return { data: page, meta: { next_cursor, limit } }
}

/**
 * Returns the exclusive upper bound of the versions on a page. Versions are listed newest first.
 */
export function versionBefore(cursor: string | undefined): number {
  if (cursor === undefined) return versionMax
  const version = Number(keyFrom(cursor))
  return Number.isInteger(version) && Math.abs(version) <= versionMax ? version : 0
}

export function cursorOf(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url')
}

/** @throws {Problem} 422 for a malformed cursor */
export function keyFrom(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8')
  if (key !== '' && cursorOf(key) === cursor) return key
  const detail = 'is not a valid cursor; send `meta.next_cursor` unchanged'
  throw invalidQuery([{ pointer: '/cursor', detail }])
}

export interface TimePage {
  readonly range: TimeRange
  /** Position of the last row of the previous page; null for the first page. */
  readonly after: CursorPosition | null
}

/** @throws {Problem} 422 for an invalid time range or cursor */
export function timePageOf(filters: Filters, cursor: string | undefined, now: number): TimePage {
  const { from, to } = filters
  return { range: rangeOf({ from, to }, now), after: positionOf(cursor, filters) }
}

/** @throws {Problem} 422 for an invalid time range */
export function rangeOf(texts: TimeTexts, now: number): TimeRange {
  const read = readTimeRange(texts, now)
  if (read.kind === 'range') return read.range
  throw invalidQuery(read.errors)
}

/**
 * Parses a cursor. Returns null for the first page.
 * @param ids the number of UUIDs in the id of a row
 * @throws {Problem} 422 for an invalid cursor
 */
export function positionOf(
  cursor: string | undefined,
  filters: Filters,
  ids: 1 | 2 = 1
): CursorPosition | null {
  if (cursor === undefined) return null
  const read = parseCursor(cursor, filters, ids)
  if (read.kind === 'position') return read.position
  const detail =
    read.kind === 'other_filters'
      ? 'belongs to a list with other filters; send the same filters, or omit the cursor'
      : 'is not a valid cursor; send `meta.next_cursor` unchanged'
  throw invalidQuery([{ pointer: '/cursor', detail }])
}

export function invalidQuery(errors: readonly Violation[]): Problem {
  return new Problem('invalid_query', { detail: sentenceOf('The query', errors), errors })
}

/**
 * Returns the first entries that fit into `bytesMax`. Returns at least one entry, so that paging
 * makes progress.
 */
export function upToBytes<T extends { readonly bytes: number }>(
  entries: readonly T[],
  bytesMax: number
): readonly T[] {
  let bytes = 0
  const end = entries.findIndex((entry, index) => {
    bytes += entry.bytes
    return index > 0 && bytes > bytesMax
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/**
 * Serializes a list to JSON in time slices, so that a long list does not block the event loop.
 * @param viewOf converts an entry to the form returned by the API; called in the order of the
 * entries
 */
export async function jsonListOf<T>(
  entries: readonly T[],
  viewOf: (entry: T) => unknown
): Promise<string> {
  const texts: string[] = []
  for (const entry of entries) {
    await yieldToEventLoop()
    texts.push(JSON.stringify(viewOf(entry)))
  }
  return `[${texts.join(',')}]`
}

/** Creates the response with a page of entries that take a long time to serialize. */
export async function pageReply<T>(
  entries: readonly T[],
  viewOf: (entry: T) => unknown,
  meta: { readonly next_cursor: string | null; readonly limit: number }
): Promise<Reply> {
  const data = await jsonListOf(entries, viewOf)
  return jsonReply(200, `{"data":${data},"meta":${JSON.stringify(meta)}}`)
}
