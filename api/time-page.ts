/** The part of a list that a caller asks for: a range of time, and where in it the page begins. */
import { readCursor } from '../core/cursor.ts'
import type { CursorPosition, Filters, ReadCursor } from '../core/cursor.ts'
import { Problem } from '../core/problem.ts'
import type { Violation } from '../core/problem.ts'
import { readTimeRange } from './time-range.ts'
import type { TimeRange, TimeTexts } from './time-range.ts'

export interface TimePage {
  readonly range: TimeRange
  /** The page begins behind it; null is the first page. */
  readonly after: CursorPosition | null
}

/** @throws {Problem} 422 */
export function timePageOf(filters: Filters, cursor: string | undefined, now: number): TimePage {
  const { from, to } = filters
  const range = rangeOf({ from, to }, now)
  return { range, after: cursor === undefined ? null : positionOf(readCursor(cursor, filters)) }
}

/** For lists ordered by time, decision and the row's own id. @throws {Problem} 422 */
export function resultPageOf(filters: Filters, cursor: string | undefined, now: number): TimePage {
  const { range } = timePageOf(filters, undefined, now)
  return { range, after: cursor === undefined ? null : positionOf(readCursor(cursor, filters, 2)) }
}

/** @throws {Problem} 422 */
export function rangeOf(texts: TimeTexts, now: number): TimeRange {
  const read = readTimeRange(texts, now)
  if (read.kind === 'range') return read.range
  throw invalidQuery(read.errors)
}

function positionOf(read: ReadCursor): CursorPosition {
  if (read.kind === 'position') return read.position
  const detail =
    read.kind === 'other_filters'
      ? 'belongs to a list with other filters; send those, or begin without a cursor'
      : 'is not a cursor of ours; send `meta.next_cursor` as it came'
  throw invalidQuery([{ pointer: '/cursor', detail }])
}

export function invalidQuery(errors: readonly Violation[]): Problem {
  const [first] = errors
  const detail = `The query is not valid: ${first?.pointer ?? ''} ${first?.detail ?? ''}.`
  return new Problem('invalid_query', { detail, errors })
}
