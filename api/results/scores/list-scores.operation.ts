/** What a caller needs to know of `GET /v1/evaluation/scores`. */
import type { Operation } from '../../../http/route.ts'
import { listMeta, listMetaExample, pageParameters } from '../../page-parameters.ts'
import { objectOf, storedScoreExample } from '../../response-schemas.ts'
import { storedScoreMembers, textOrNull, uuid } from '../../response-schemas.ts'
import { textFilter } from '../../text-filter.ts'
import { defaultRangeDays } from '../../time-range.ts'
import { principalProblems } from '../principal-problems.ts'
import { scoreFilterParameters } from './score-filters.ts'

export const timeParameters = {
  from: textFilter(
    `Evaluated at or after: RFC 3339 or -24h. Without it: ${defaultRangeDays} days before \`to\`.`,
    40
  ),
  to: textFilter('Evaluated before; RFC 3339, -24h or now. Without it: no end.', 40)
}

const score = objectOf({
  decision_id: uuid,
  name: { type: 'string' },
  ...storedScoreMembers,
  evaluator: { type: 'string' },
  evaluator_kind: { type: 'string' },
  evaluator_version: { type: 'integer' },
  agent_id: textOrNull,
  session_id: textOrNull,
  domain: textOrNull
})

export const listScoresOperation: Operation = {
  operation_id: 'listScores',
  tag: 'evaluation',
  summary: 'List scores, newest first',
  description:
    'Stored scores of your organization. A page may have fewer scores than `limit`, or none, and ' +
    'still a next one: filters that few scores pass are looked through piece by piece. Go on ' +
    'until `meta.next_cursor` is null.',
  query: {
    type: 'object',
    properties: {
      ...timeParameters,
      ...scoreFilterParameters,
      ...pageParameters('Scores on a page, at most.')
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({ data: { type: 'array', items: score }, meta: listMeta }),
      example: {
        data: [
          {
            decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
            name: 'output_not_empty',
            ...storedScoreExample,
            evaluator_kind: 'heuristic',
            agent_id: 'refund-agent',
            session_id: 'ticket-8812',
            domain: 'refunds'
          }
        ],
        meta: listMetaExample
      }
    }
  },
  problems: [...principalProblems, 'invalid_query']
}
