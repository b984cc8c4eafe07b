/** What a caller needs to know of `GET /v1/evaluation/health`. */
import type { Operation } from '../../http/route.ts'
import { lagExample, lagMembers } from '../page-parameters.ts'
import {
  count,
  integerOrNull,
  objectOf,
  textOrNull,
  time,
  timeOrNull
} from '../response-schemas.ts'
import { principalProblems } from './principal-problems.ts'
import { plansMax } from './read-conservation.ts'

const text = { type: 'string' } as const

const byStatus = objectOf({
  scheduled: count,
  running: count,
  retrying: count,
  blocked: count,
  finished: { ...count, description: 'Ended, and on the way to where results are stored.' }
})

const conservation = objectOf({
  from: time,
  to: time,
  planned: { ...count, description: 'Runs that the plans in between stand for.' },
  accounted: objectOf({
    succeeded: count,
    failed: count,
    skipped: count,
    expired: count,
    canceled: count,
    open: count
  }),
  in_flight: {
    ...count,
    description: 'Not accounted for, but deferred or younger than what storage has stored.'
  },
  difference: { ...count, description: 'Not accounted for, of the others: 0, or runs are lost.' },
  replays: { ...count, description: 'On top of what was planned, as are `pushed`.' },
  pushed: count
})

export const readHealthOperation: Operation = {
  operation_id: 'readHealth',
  tag: 'evaluation',
  summary: 'Ask whether evaluation keeps up',
  description:
    'What waits, for how long, which providers do not work, what judges cost today, and whether ' +
    `each planned run is accounted for: for the plans of the last day, at most the ${plansMax} ` +
    'newest, which `conservation.from` then says.',
  response: {
    200: {
      description: 'As it is now.',
      schema: objectOf({
        ...lagMembers,
        backlog: { ...count, description: 'Open runs that have not ended.' },
        oldest_pending_s: { ...integerOrNull, description: 'Seconds since it was scheduled.' },
        by_status: byStatus,
        deferred: {
          ...count,
          description: 'Decisions whose evaluation is deferred.'
        },
        circuits: {
          type: 'array',
          items: objectOf({
            connection_id: text,
            connection: text,
            state: { enum: ['closed', 'open', 'half_open'] },
            reason: textOrNull,
            since: timeOrNull
          })
        },
        spend_today: objectOf({
          calls: count,
          unpriced_calls: { ...count, description: 'Calls whose price is not known.' },
          usd: { type: 'number', description: 'Of the others; of the UTC day.' }
        }),
        conservation
      }),
      example: {
        ...lagExample,
        backlog: 3,
        oldest_pending_s: 12,
        by_status: { scheduled: 1, running: 2, retrying: 0, blocked: 0, finished: 1 },
        deferred: 0,
        circuits: [
          {
            connection_id: 'con_01938c4e5b7a7c3e9f002f6d1c1b8a55',
            connection: 'judges',
            state: 'closed',
            reason: null,
            since: null
          }
        ],
        spend_today: { calls: 210, unpriced_calls: 0, usd: 0.065 },
        conservation: {
          from: '2026-01-30T12:00:00.000Z',
          to: '2026-01-31T12:00:00.000Z',
          planned: 1610,
          accounted: {
            ...{ succeeded: 1400, failed: 2, skipped: 203, expired: 0, canceled: 0, open: 4 }
          },
          in_flight: 1,
          difference: 0,
          replays: 2,
          pushed: 5
        }
      }
    }
  },
  problems: [...principalProblems]
}
