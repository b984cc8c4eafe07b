/** What a caller needs to know of `GET /v1/auth/audit`. */
import type { Operation } from '../../http/route.ts'
import { deleteProblems } from '../configuration/operation-parts.ts'
import { pageParameters } from '../page-parameters.ts'
import { objectOf, textOrNull, time, uuid } from '../response-schemas.ts'
import { textFilter } from '../text-filter.ts'
import { defaultRangeDays } from '../time-range.ts'

const timeText = { type: 'string', maxLength: 64 } as const

const entry = objectOf({
  entry_id: uuid,
  created_at: time,
  actor: objectOf({
    kind: { type: 'string', description: '`user`, `api_key` or `system`.' },
    id: textOrNull,
    email: { ...textOrNull, description: 'Of a user who is a member now.' }
  }),
  action: { type: 'string', description: 'What was done, such as `api_key.created`.' },
  target: {
    ...objectOf({ kind: { type: 'string' }, id: { type: 'string' } }),
    type: ['object', 'null']
  },
  details: { type: ['object', 'null'], description: 'What else is known; never a secret.' },
  address: { ...textOrNull, description: 'IP address that the request came from.' },
  request_id: textOrNull
})

const example = {
  entry_id: '01938c4e-5b7a-4c3e-9f00-2f6d1c1b8a55',
  created_at: '2026-01-31T12:00:00.000Z',
  actor: {
    kind: 'user',
    id: '01938c4e-0000-7000-8000-2f6d1c1b8a55',
    email: 'ada@example.com'
  },
  action: 'api_key.created',
  target: { kind: 'api_key', id: '4fKc92LmQx7Z' },
  details: { name: 'support agents', scopes: ['ingest'], environment: 'live', expires_at: null },
  address: '203.0.113.7',
  request_id: '01938c4e-5b7a-7c3e-9f00-0c1b8a552f6d'
}

export const listAuditOperation: Operation = {
  ...{ operation_id: 'listAuditEntries', tag: 'organization' },
  summary: 'List who changed what, the newest first',
  description:
    'For admins. An entry is written with its change, or neither is; no entry is changed or ' +
    `deleted. Of the last ${defaultRangeDays} days where \`from\` is not given.`,
  query: {
    type: 'object',
    properties: {
      action: textFilter('Only this action, or all whose first word it is: `api_key`.', 100),
      actor: textFilter('Only by this user or key, by id.', 100),
      from: { ...timeText, description: 'From this time on, RFC 3339.' },
      to: { ...timeText, description: 'Before this time; now where it is not given.' },
      ...pageParameters('Entries on a page.')
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({
        data: { type: 'array', items: entry },
        meta: objectOf({
          next_cursor: { ...textOrNull, description: 'Null on the last page.' },
          limit: { type: 'integer' },
          applied: objectOf({ from: time, to: { type: ['string', 'null'], format: 'date-time' } })
        })
      }),
      example: {
        data: [example],
        meta: {
          ...{ next_cursor: null, limit: 50 },
          applied: { from: '2026-01-24T13:00:00.000Z', to: null }
        }
      }
    }
  },
  problems: [...deleteProblems, 'invalid_query']
}
