/** What a caller needs to know of `POST /v1/evaluation/scores`. */
import { itemProblemSchema } from '../../../http/reply/problem-schema.ts'
import type { Operation } from '../../../http/route.ts'
import { objectOf, uuid } from '../../response-schemas.ts'
import { pushesMax } from './push-scores.ts'
import { pushedScoreSchema } from './pushed-score.ts'
import { bodyProblems, principalProblems } from '../principal-problems.ts'

const scoreMembers = Object.keys(pushedScoreSchema['properties'] as object).join(', ')
const bodyBytesMax = 4 * 1024 * 1024

const accepted = objectOf({
  id: uuid,
  accepted: { const: true },
  duplicate: {
    type: 'boolean',
    description: 'Whether a score with this id was there already; that one stands.'
  }
})

const refused = objectOf({
  id: uuid,
  accepted: { const: false },
  retryable: { type: 'boolean' },
  problem: itemProblemSchema
})

const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

export const pushScoresOperation: Operation = {
  operation_id: 'pushScores',
  tag: 'evaluation',
  summary: 'Give scores',
  description:
    `Up to ${pushesMax} scores, each judged by itself. Under a session they are yours, under an ` +
    "API key with the scope `evaluation:write` the program's, and an end user's where `source` " +
    'says so. A key with the scope `feedback:write` alone brings what end users say, and names ' +
    'no evaluator. With an `evaluator_id` the score is held against what that evaluator says of ' +
    'it, and answers the run that waits for it, if one does. An `id` makes a retry safe. They ' +
    'can be read by decision at once, and in lists when they are stored.',
  body: {
    bytesMax: bodyBytesMax,
    schema: {
      type: 'object',
      required: ['scores'],
      properties: {
        scores: {
          type: 'array',
          minItems: 1,
          maxItems: pushesMax,
          description: `What is wrong with one refuses that one. Each: ${scoreMembers}.`,
          items: {}
        }
      },
      additionalProperties: false
    },
    example: {
      scores: [
        {
          id: '01938c4f-0000-7000-8000-2f6d1c1b8a55',
          decision_id,
          name: 'helpful',
          value: true,
          passed: true,
          reason: 'The customer said thanks.'
        }
      ]
    }
  },
  response: {
    200: {
      description: 'One result for each score, in their order.',
      schema: objectOf({ results: { type: 'array', items: { anyOf: [accepted, refused] } } }),
      example: {
        results: [{ id: '01938c4f-0000-7000-8000-2f6d1c1b8a55', accepted: true, duplicate: false }]
      }
    }
  },
  problems: [...principalProblems, 'role_missing', ...bodyProblems]
}
