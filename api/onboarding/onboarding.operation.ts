/** What a caller needs to know of onboarding: the steps, and a test event. */
import type { Operation } from '../../http/route.ts'
import { plainText, readProblems } from '../configuration/operation-parts.ts'
import { bodyProblems } from '../configuration/operation-parts.ts'
import { objectOf, textOrNull, time, timeOrNull, uuid } from '../response-schemas.ts'
import { waitParameter } from '../wait-until.ts'
import { testAgentId, testsPerMinute } from './send-test-event.ts'
import { snippetsOf } from './snippets.ts'
import { stepIds } from './steps.ts'

const tag = 'auth'
const text = { type: 'string' } as const

const attempt = objectOf({
  at: time,
  key_id: text,
  status: { type: 'integer' },
  code: { ...text, description: 'As everywhere; see the table of refusals.' },
  detail: text,
  pointer: { ...textOrNull, description: 'Of the first thing that is wrong with a decision.' },
  agent_id: textOrNull,
  sdk_version: textOrNull,
  request_id: text
})

const step = objectOf({
  id: { enum: stepIds },
  done_at: timeOrNull,
  hint: { ...text, description: 'What to do, or where to look.' },
  detail: { ...textOrNull, description: 'What is known of it, such as why it was refused.' }
})

const at = '2026-01-31T12:00:00.000Z'
const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

export const readOnboardingOperation: Operation = {
  operation_id: 'readOnboarding',
  tag,
  summary: 'Is anything coming?',
  description:
    'The steps to the first score, from what is known of the organization; `email_verified` only ' +
    'where letters are sent. `recent_attempts` are the last 20 requests of its keys that were ' +
    'refused, newest first and seconds after they were; null while Redis is away.',
  query: {
    type: 'object',
    properties: {
      wait: waitParameter('Whole seconds to wait for another step to be done.'),
      done: {
        ...{ type: 'integer', minimum: 0, maximum: stepIds.length },
        description: 'Steps that you know to be done; those of the moment of the call without it.'
      }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'How far it is.',
      schema: objectOf({
        steps: { type: 'array', items: step },
        complete: { type: 'boolean', description: 'Whether all of them are done.' },
        snippets: objectOf({ curl: text, env: text, typescript: text, python: text }),
        recent_attempts: { type: ['array', 'null'], items: attempt }
      }),
      example: {
        steps: [
          {
            id: 'key_created',
            done_at: at,
            hint: 'An admin makes an API key with the scope ingest.',
            detail: 'The key 6sWrWHwhtvmL, "first".'
          }
        ],
        complete: false,
        snippets: snippetsOf('https://sluice.example'),
        recent_attempts: [
          {
            ...{ at, key_id: '6sWrWHwhtvmL', status: 422, code: 'invalid_decision' },
            ...{ detail: '/output is required.', pointer: '/output', agent_id: 'refund-agent' },
            ...{ sdk_version: null, request_id: 'job-17.attempt-2' }
          }
        ]
      }
    }
  },
  problems: [...readProblems, 'invalid_query', 'overloaded']
}

export const sendTestEventOperation: Operation = {
  operation_id: 'sendTestEvent',
  tag,
  summary: 'Send a test event',
  description:
    `A real decision of the agent \`${testAgentId}\` through the line that takes all others, ` +
    'with the given key of the organization; without one a key is made that is revoked right ' +
    'after. `answer` is what POST /v1/ingest said, refusals included. At most ' +
    `${testsPerMinute} a minute.`,
  body: {
    schema: {
      type: 'object',
      properties: {
        api_key: {
          type: ['string', 'null'],
          maxLength: 200,
          pattern: plainText,
          description: 'The one to try; it is neither kept nor logged.'
        }
      },
      additionalProperties: false
    },
    example: {}
  },
  response: {
    200: {
      description: 'What became of it.',
      schema: objectOf({
        decision_id: uuid,
        answer: objectOf({ status: { type: 'integer' }, body: { type: 'object' } }),
        look: objectOf({ receipt: text, decision: text, evaluation: text })
      }),
      example: {
        decision_id,
        answer: { status: 202, body: { decision_id, queued: true } },
        look: {
          receipt: `/v1/ingest/${decision_id}?wait=10`,
          decision: `/v1/decisions/${decision_id}?wait=10`,
          evaluation: `/v1/evaluation/${decision_id}?wait=10`
        }
      }
    }
  },
  problems: [...readProblems, 'role_missing', ...bodyProblems, 'ingest_elsewhere', 'rate_limited']
}
