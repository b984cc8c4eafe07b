/** What a caller needs to know of `POST /v1/evaluation/status`. */
import { uuidPattern } from '../../core/ids/ids.ts'
import type { Operation } from '../../http/route.ts'
import { evaluationStatus, objectOf, progress, progressExample } from '../response-schemas.ts'
import { textOrNull, verdict } from '../response-schemas.ts'
import { bodyProblems, principalProblems } from './principal-problems.ts'

const known = objectOf({
  status: evaluationStatus,
  reason: textOrNull,
  verdict,
  progress,
  scores: {
    type: 'object',
    description: 'What counts of each name.',
    additionalProperties: objectOf({
      value: { type: ['number', 'string', 'null'] },
      passed: { type: ['boolean', 'null'] },
      source: { type: 'string' }
    })
  }
})

const unknown = objectOf({
  status: { const: 'unknown' },
  retryable: {
    type: 'boolean',
    description: 'Whether storage trails this request, so that asking again may find it.'
  }
})

export const readStatusesOperation: Operation = {
  operation_id: 'readStatuses',
  tag: 'evaluation',
  summary: 'Ask how far many evaluations are',
  description:
    'One answer for up to 200 decisions, by id in lower case. An id that does not exist, or is ' +
    'of another organization, is `unknown` and refuses nothing else.',
  body: {
    schema: {
      type: 'object',
      required: ['decision_ids'],
      properties: {
        decision_ids: {
          type: 'array',
          minItems: 1,
          maxItems: 200,
          items: { type: 'string', pattern: uuidPattern }
        }
      },
      additionalProperties: false
    },
    example: { decision_ids: ['01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'] }
  },
  response: {
    200: {
      description: 'By decision.',
      schema: { type: 'object', additionalProperties: { anyOf: [unknown, known] } },
      example: {
        '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55': {
          status: 'evaluated',
          reason: null,
          verdict: 'pass',
          progress: progressExample,
          scores: { output_not_empty: { value: 1, passed: true, source: 'evaluator' } }
        },
        '01938c4e-5b7a-7c3e-9f00-000000000000': { status: 'unknown', retryable: false }
      }
    }
  },
  problems: [...principalProblems, ...bodyProblems]
}
