/** What every list takes to give a page, and tells beside it. */
import type { JsonSchema } from '../platform/validation/json-schema.ts'
import { objectOf } from './response-schemas.ts'
import { textFilter } from './text-filter.ts'

const limitMax = 200
const limitDefault = 50

export function pageParameters(limitDescription: string): Readonly<Record<string, JsonSchema>> {
  return {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: limitMax,
      default: limitDefault,
      description: limitDescription
    },
    cursor: textFilter('Where the page begins: `meta.next_cursor` of the page before.', 512)
  }
}

/** How far storage has come. */
export const lagMembers: Readonly<Record<'as_of' | 'lag_ms', JsonSchema>> = {
  as_of: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'Everything accepted before this moment is stored; null while that is not known.'
  },
  lag_ms: { type: ['integer', 'null'], description: 'How long ago that is.' }
}

export const listMeta: JsonSchema = objectOf({
  next_cursor: { type: ['string', 'null'], description: 'Null on the last page.' },
  limit: { type: 'integer' },
  ...lagMembers
})

export const lagExample = { as_of: '2026-01-31T12:00:05.000Z', lag_ms: 240 }

export const listMetaExample = { next_cursor: null, limit: limitDefault, ...lagExample }
