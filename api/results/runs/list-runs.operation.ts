/** What a caller needs to know of `GET /v1/evaluation/runs`. */
import type { Operation } from '../../../http/route.ts'
import { listMeta, listMetaExample, pageParameters } from '../../page-parameters.ts'
import { objectOf } from '../../response-schemas.ts'
import { timeParameters } from '../scores/list-scores.operation.ts'
import { principalProblems } from '../principal-problems.ts'
import { runFilterParameters } from './run-filters.ts'
import { runExample, runSchema } from './run-schema.ts'

export const listRunsOperation: Operation = {
  operation_id: 'listRuns',
  tag: 'evaluation',
  summary: 'List runs, newest first',
  description:
    'Runs of your organization: open ones by when they were scheduled, the others by when they ' +
    'ended. A page may have fewer than `limit`, or none, and still a next one: go on until ' +
    '`meta.next_cursor` is null.',
  query: {
    type: 'object',
    properties: {
      ...timeParameters,
      ...runFilterParameters,
      ...pageParameters('Runs on a page, at most.')
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({ data: { type: 'array', items: runSchema }, meta: listMeta }),
      example: { data: [runExample], meta: listMetaExample }
    }
  },
  problems: [...principalProblems, 'invalid_query']
}
