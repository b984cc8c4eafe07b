/** What a caller needs to know of `GET /v1/evaluation/{decision_id}/scores`. */
import type { Operation } from '../../../http/route.ts'
import { decisionIdParams, objectOf, scoreMembers, scoreExample } from '../../response-schemas.ts'
import { uuid } from '../../response-schemas.ts'
import { principalProblems } from '../principal-problems.ts'
import { textFilter } from '../../text-filter.ts'

export const readDecisionScoresOperation: Operation = {
  operation_id: 'readDecisionScores',
  tag: 'evaluation',
  summary: 'List the scores of a decision',
  description:
    'The newest of each name and source, or all that were ever given: a correction takes the ' +
    'place of what it corrects, and removes nothing.',
  params: decisionIdParams,
  query: {
    type: 'object',
    properties: {
      name: textFilter('Only of this name.', 255),
      source: textFilter('Only of this source: evaluator, api, human or end_user.', 30),
      history: {
        type: 'boolean',
        default: false,
        description: 'Also those that a later one took over from.'
      }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'The newest first.',
      schema: objectOf({
        data: {
          type: 'array',
          items: objectOf({
            decision_id: uuid,
            name: { type: 'string' },
            ...scoreMembers,
            superseded_by: {
              type: ['string', 'null'],
              format: 'uuid',
              description: 'The run that repeats the one which gave it.'
            }
          })
        }
      }),
      example: {
        data: [
          {
            decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
            name: 'output_not_empty',
            ...scoreExample,
            superseded_by: null
          }
        ]
      }
    }
  },
  problems: [...principalProblems, 'decision_not_found', 'invalid_query']
}
