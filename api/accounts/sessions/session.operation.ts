/** What a caller needs to know of sessions: refresh, logout, and the list of them. */
import { uuidPattern } from '../../../core/ids/ids.ts'
import { tokenPattern } from '../../../core/ids/opaque-token.ts'
import type { Operation } from '../../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../../configuration/list-page.ts'
import { bodyProblems, idParams, readProblems } from '../../configuration/operation-parts.ts'
import { count, objectOf, textOrNull, time, uuid } from '../../response-schemas.ts'
import { refreshDayLimit, refreshLimit } from '../throttle.ts'
import { raceSeconds } from './refresh-token-row.ts'
import { sessionExample, sessionHeaders, sessionSchema } from './session-answer.ts'

const tag = 'auth'

export const refreshOperation: Operation = {
  operation_id: 'refreshSession',
  tag,
  summary: 'Refresh a session',
  description:
    'A new access token, and the refresh token that takes the place of this one. Each is used ' +
    `once; within ${raceSeconds} seconds the same call gets the same answer again. Used later, ` +
    'it is taken for stolen, and the session ends. A browser sends `{}` and its cookie. A ' +
    `session gets at most ${refreshLimit.points} refresh tokens in a minute and ` +
    `${refreshDayLimit.points} in a day.`,
  body: {
    schema: {
      type: 'object',
      properties: {
        refresh_token: {
          type: 'string',
          maxLength: 100,
          pattern: tokenPattern('slr'),
          examples: [sessionExample.refresh_token],
          description: 'Left out by browsers, whose cookie has it.'
        }
      },
      additionalProperties: false
    },
    example: { refresh_token: sessionExample.refresh_token }
  },
  response: {
    200: {
      description: 'The session lives for 30 days more, up to 90 since the login.',
      schema: sessionSchema,
      example: sessionExample,
      headers: sessionHeaders
    }
  },
  problems: [
    ...bodyProblems,
    'refresh_invalid',
    'refresh_reused',
    'login_throttled',
    'store_unavailable'
  ]
}

export const logoutOperation: Operation = {
  operation_id: 'logout',
  tag,
  summary: 'Log out',
  description:
    'Ends this session, or all of the person. Their tokens are refused within five seconds, and ' +
    'the cookie of a browser is taken away.',
  body: {
    schema: {
      type: 'object',
      properties: {
        all: { type: 'boolean', description: 'Every session of the person, wherever it is.' }
      },
      additionalProperties: false
    },
    example: { all: false }
  },
  response: {
    200: {
      description: 'They have ended.',
      schema: objectOf({ sessions_ended: count }),
      example: { sessions_ended: 1 },
      headers: { 'Set-Cookie': 'Takes the refresh token away.' }
    }
  },
  problems: [...readProblems, ...bodyProblems]
}

export const listOwnSessionsOperation: Operation = {
  operation_id: 'listOwnSessions',
  tag,
  summary: 'List your sessions',
  description: 'Where the person is logged in, the oldest first, in all organizations.',
  query: pageQuerySchema,
  response: {
    200: {
      description: 'Those that have not ended.',
      schema: pageOf(
        objectOf({
          session_id: uuid,
          organization_id: { ...uuid, description: 'The one that it acts for.' },
          created_at: time,
          last_used_at: { ...time, description: 'The last refresh, or the login.' },
          expires_at: { ...time, description: 'Unless it is refreshed.' },
          ends_at: { ...time, description: 'Whatever happens.' },
          user_agent: textOrNull,
          address: { ...textOrNull, description: 'Where the login came from.' },
          is_current: { type: 'boolean', description: 'The one that asks.' }
        })
      ),
      example: pageExample({
        session_id: '01938c4e-3333-7000-8000-5b7a9f002f6d',
        organization_id: '01938c4e-0000-7000-8000-5b7a9f002f6d',
        created_at: '2026-01-31T12:00:00.000Z',
        last_used_at: '2026-01-31T12:14:10.000Z',
        expires_at: '2026-03-02T12:14:10.000Z',
        ends_at: '2026-05-01T12:00:00.000Z',
        user_agent: 'curl/8.5.0',
        address: '192.0.2.1',
        is_current: true
      })
    }
  },
  problems: [...readProblems, 'invalid_query']
}

export const endSessionOperation: Operation = {
  operation_id: 'endSession',
  tag,
  summary: 'End one of your sessions',
  description: 'What it has signed is refused within five seconds.',
  params: idParams('session_id', uuidPattern, 'As GET /v1/auth/sessions lists it.'),
  response: {
    200: {
      description: 'It has ended.',
      schema: objectOf({ session_id: uuid, ended: { const: true } }),
      example: { session_id: '01938c4e-3333-7000-8000-5b7a9f002f6d', ended: true }
    }
  },
  problems: [...readProblems, 'session_not_found']
}
