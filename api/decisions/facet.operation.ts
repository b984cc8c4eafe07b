/** What a caller needs to know of facets and of feedback. */
import { uuidPattern } from '../../core/ids/ids.ts'
import { valueMax } from '../../evaluators/hold-to-output.ts'
import type { Operation } from '../../http/route.ts'
import { plainText, readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { lagExample, lagMembers } from '../page-parameters.ts'
import { count, decisionIdParams, objectOf, textOrNull, uuid } from '../response-schemas.ts'
import { nameCharsMax } from '../results/scores/score-filters.ts'
import { textFilter } from '../text-filter.ts'
import { feedbackNameDefault } from './give-feedback.ts'
import { applied } from './list/list-decisions.operation.ts'
import { rangeParameters } from './list/query-schema.ts'
import { facetFields } from './read-facets.ts'

const tag = 'decisions'

export const readFacetsOperation: Operation = {
  ...{ operation_id: 'readFacets', tag, summary: 'Read the values of a field' },
  description:
    'What lists can be filtered by, the most frequent first, from sums by hour: the first and ' +
    'the last hour count whole. Of `status` null are decisions of which no run is stored.',
  query: {
    type: 'object',
    required: ['field'],
    properties: {
      field: { enum: facetFields },
      ...rangeParameters,
      agent_id: textFilter('Only of this agent.', 255),
      limit: {
        ...{ type: 'integer', minimum: 1, maximum: 100, default: 20 },
        description: 'Values, at most.'
      }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'The values.',
      schema: objectOf({
        data: {
          type: 'array',
          items: objectOf({
            value: { ...textOrNull, description: 'Null where there is none.' },
            decisions: count
          })
        },
        meta: objectOf({
          limit: count,
          has_more: { type: 'boolean', description: 'Whether there are more values.' },
          ...lagMembers,
          applied
        })
      }),
      example: {
        data: [
          { value: 'small-1', decisions: 1204 },
          { value: 'large-2', decisions: 77 }
        ],
        meta: {
          ...{ limit: 20, has_more: false, ...lagExample },
          applied: { from: '2026-01-24T12:00:00.000Z', to: null, field: 'model' }
        }
      }
    }
  },
  problems: [...readProblems, 'invalid_query']
}

const said = { type: 'string', minLength: 1, pattern: plainText }

export const giveFeedbackOperation: Operation = {
  ...{ operation_id: 'giveFeedback', tag, summary: 'Say what you think of a decision' },
  description:
    "Stored as a score: with a `user_id` it is that end user's, else yours. It can be read with " +
    'the decision at once.',
  params: decisionIdParams,
  body: {
    schema: {
      type: 'object',
      properties: {
        id: { type: 'string', pattern: uuidPattern, description: 'Sent again, it counts once.' },
        name: { ...said, maxLength: nameCharsMax, default: feedbackNameDefault },
        value: { type: ['number', 'boolean'], minimum: -valueMax, maximum: valueMax },
        label: { ...said, maxLength: 4000 },
        passed: { type: 'boolean' },
        reason: { ...said, maxLength: 4000 },
        user_id: { ...said, maxLength: 255, description: 'Of the end user, as you know him.' }
      },
      additionalProperties: false
    },
    example: { passed: false, reason: 'It was not damaged.', user_id: 'customer-17' }
  },
  response: {
    201: {
      description: 'It is kept.',
      schema: objectOf({
        id: uuid,
        name: { type: 'string' },
        duplicate: { type: 'boolean', description: 'Whether one with this id was there already.' }
      }),
      example: {
        ...{ id: '01938c4f-0000-7000-8000-2f6d1c1b8a55', name: feedbackNameDefault },
        duplicate: false
      }
    }
  },
  problems: [...writeProblems, 'decision_not_found', 'limit_reached']
}
