/** Pages of short lists, which are read whole: what an organization configures has named limits. */
import { Problem } from '../../core/problem.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { objectOf } from '../response-schemas.ts'

export interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

export interface ListPage<T> {
  readonly page: readonly T[]
  readonly meta: { readonly next_cursor: string | null; readonly limit: number }
}

const limitMax = 200
const limitDefault = 50
const cursorCharsMax = 512
/** An integer of the store holds no more. */
const versionMax = 2 ** 31 - 1

/**
 * @param entries in ascending order of their keys, by code units
 * @throws {Problem} 422 for a cursor that is none
 */
export function listPage<T>(
  entries: readonly T[],
  { limit, cursor }: PageQuery,
  keyOf: (entry: T) => string
): ListPage<T> {
  const after = cursor === undefined ? null : keyFrom(cursor)
  const behind = after === null ? entries : entries.filter((entry) => keyOf(entry) > after)
  const page = behind.slice(0, limit)
  const last = behind.length > limit ? page.at(-1) : undefined
  const next_cursor = last === undefined ? null : cursorOf(keyOf(last))
  return { page, meta: { next_cursor, limit } }
}

/** Of versions, which are numbers: the page goes down from the one before this. */
export function versionBefore(cursor: string | undefined): number {
  if (cursor === undefined) return versionMax
  const version = Number(keyFrom(cursor))
  return Number.isInteger(version) && Math.abs(version) <= versionMax ? version : 0
}

export function cursorOf(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url')
}

/** @throws {Problem} 422 for a cursor that is none */
export function keyFrom(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8')
  if (key !== '' && cursorOf(key) === cursor) return key
  const detail = 'is not a cursor of ours; send `meta.next_cursor` as it came'
  throw new Problem('invalid_query', {
    detail: `The query is not valid: /cursor ${detail}.`,
    errors: [{ pointer: '/cursor', detail }]
  })
}

export const pageQuerySchema: JsonSchema = {
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limitMax,
      default: limitDefault,
      description: 'Entries on a page.'
    },
    cursor: {
      type: 'string',
      minLength: 1,
      maxLength: cursorCharsMax,
      description: 'Where the page begins: `meta.next_cursor` of the page before.'
    }
  },
  additionalProperties: false
}

/** A list of these. */
export function pageOf(entry: JsonSchema): JsonSchema {
  return objectOf({
    data: { type: 'array', items: entry },
    meta: objectOf({
      next_cursor: { type: ['string', 'null'], description: 'Null on the last page.' },
      limit: { type: 'integer' }
    })
  })
}

/** A page with this entry alone. */
export function pageExample(entry: unknown): unknown {
  return { data: [entry], meta: { next_cursor: null, limit: limitDefault } }
}
