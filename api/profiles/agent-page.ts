/** A page of agents in the order that is asked for, and where the next one begins. */
import { createHash } from 'node:crypto'
import { invalidQuery } from '../time-page.ts'

export const sortNames = ['volume', 'last_seen', 'name', 'pass_rate', 'cost'] as const
export type SortName = (typeof sortNames)[number]

/** By which an agent is placed; null where it is not known. */
export type SortValue = string | number | null

export interface Placed {
  readonly agentId: string
  readonly sortValue: SortValue
}

export interface PageAsked {
  /** Descending with `-` before it. */
  readonly sort: string
  readonly limit: number
  readonly cursor?: string | undefined
  /** What else the list depends on; a cursor of other ones is refused. */
  readonly filters: Readonly<Record<string, unknown>>
}

export interface AgentPage<T> {
  readonly page: readonly T[]
  readonly next_cursor: string | null
}

/** A name and an id may have 255 characters each, of four bytes or escaped. */
export const cursorCharsMax = 6000
const hashChars = 16

/** @throws {Problem} 422 for a cursor that is none, or of another list */
export function agentPage<T extends Placed>(all: readonly T[], asked: PageAsked): AgentPage<T> {
  const compare = comparing(asked.sort.startsWith('-'))
  const after = asked.cursor === undefined ? null : placeFrom(asked.cursor, asked)
  const behind = all.filter((each) => after === null || compare(each, after) > 0).toSorted(compare)
  const page = behind.slice(0, asked.limit)
  const last = behind.length > asked.limit ? page.at(-1) : undefined
  return { page, next_cursor: last === undefined ? null : cursorOf(last, asked) }
}

/** What is not known comes last, whichever way; agents of one value by their id. */
function comparing(descending: boolean) {
  return (left: Placed, right: Placed): number => {
    const order = compareValues(left.sortValue, right.sortValue, descending)
    if (order !== 0) return order
    return compareTexts(left.agentId, right.agentId)
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

function cursorOf({ sortValue, agentId }: Placed, asked: PageAsked): string {
  const parts = [sortValue, agentId, hashOf(asked)]
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url')
}

function placeFrom(cursor: string, asked: PageAsked): Placed {
  const [sortValue, agentId, hash, ...others] = partsOf(cursor)
  const isValue = sortValue === null || ['string', 'number'].includes(typeof sortValue)
  if (!isValue || typeof agentId !== 'string' || others.length > 0) {
    throw wrongCursor('is not a cursor of ours; send `meta.next_cursor` as it came')
  }
  if (hash !== hashOf(asked)) {
    throw wrongCursor('belongs to another list; send its parameters, or begin without a cursor')
  }
  return { sortValue: sortValue as SortValue, agentId }
}

function partsOf(cursor: string): readonly unknown[] {
  if (cursor.length > cursorCharsMax) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function hashOf({ sort, filters }: PageAsked): string {
  const text = JSON.stringify([sort, filters])
  return createHash('sha256').update(text).digest('hex').slice(0, hashChars)
}

function wrongCursor(detail: string) {
  return invalidQuery([{ pointer: '/cursor', detail }])
}
