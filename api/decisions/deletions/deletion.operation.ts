/** What a caller needs to know of deletions. */
import { uuidPattern } from '../../../core/ids/ids.ts'
import type { Operation } from '../../../http/route.ts'
import { idParams, readProblems, writeProblems } from '../../configuration/operation-parts.ts'
import { pageExample, pageOf, pageQuerySchema } from '../../configuration/list-page.ts'
import { count, decisionIdParams, objectOf, textOrNull } from '../../response-schemas.ts'
import { time, timeOrNull, uuid } from '../../response-schemas.ts'
import { foundMax } from './count-found.ts'
import { deletionReason, deletionRequestSchema, deletionScopes } from './deletion-request.ts'

const tag = 'decisions'

const deletion = objectOf({
  deletion_id: uuid,
  scope: { enum: [...deletionScopes, 'organization'] },
  subject: { ...textOrNull, description: 'The id; null for the whole organization.' },
  state: { enum: ['running', 'finished'] },
  requested_at: time,
  requested_by: { type: 'string', description: 'The id of a user, or what an operator said.' },
  reason: textOrNull,
  received_until: {
    ...time,
    description: 'What was received up to this moment is deleted, also when it comes later.'
  },
  finished_at: timeOrNull,
  decisions: { ...count, description: 'Deleted so far.' },
  evaluation_runs: count,
  scores: count
})

const foundMembers = {
  decisions_found: { ...count, description: `Stored ones, counted up to ${foundMax}.` }
}

const example = {
  deletion_id: '01938c4e-6b7a-7c3e-9f00-2f6d1c1b8a55',
  scope: 'session',
  subject: 'ticket-8812',
  state: 'finished',
  requested_at: '2026-01-31T12:00:00.120Z',
  requested_by: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  reason: 'asked by the customer',
  received_until: '2026-01-31T12:00:00.120Z',
  finished_at: '2026-01-31T12:00:01.310Z',
  decisions: 12,
  evaluation_runs: 36,
  scores: 36
}

const begun = { ...example, state: 'running', finished_at: null }

const accepted: Operation['response'] = {
  202: {
    description: 'It is written down, and will be done.',
    schema: objectOf({ ...(deletion['properties'] as object), ...foundMembers }),
    example: { ...begun, decisions: 0, evaluation_runs: 0, scores: 0, decisions_found: 12 }
  }
}

const forGood =
  'What is deleted is gone for good, with its runs and scores; a copy that comes later is not ' +
  'stored. In Kafka it stays until the retention of the topics is over.'

export const deleteDecisionOperation: Operation = {
  ...{ operation_id: 'deleteDecision', tag, summary: 'Delete a decision' },
  description: `For one decision that is stored. ${forGood}`,
  params: decisionIdParams,
  query: {
    type: 'object',
    properties: { reason: deletionReason },
    additionalProperties: false
  },
  response: accepted,
  problems: [...readProblems, 'role_missing', 'decision_not_found', 'invalid_query']
}

export const requestDeletionOperation: Operation = {
  ...{ operation_id: 'requestDeletion', tag, summary: 'Delete what belongs together' },
  description:
    'Ask with `dry_run` how many decisions there are, then send that number as `confirm`. ' +
    forGood,
  body: {
    schema: deletionRequestSchema,
    example: {
      ...{ scope: 'session', subject: 'ticket-8812', reason: 'asked by the customer' },
      confirm: 12
    }
  },
  response: {
    200: {
      description: 'A dry run.',
      schema: objectOf({
        scope: { enum: deletionScopes },
        subject: { type: 'string' },
        ...foundMembers,
        counted_up_to: count
      }),
      example: {
        ...{ scope: 'session', subject: 'ticket-8812' },
        ...{ decisions_found: 12, counted_up_to: foundMax }
      }
    },
    ...accepted
  },
  problems: [...writeProblems, 'count_differs']
}

export const listDeletionsOperation: Operation = {
  ...{ operation_id: 'listDeletions', tag, summary: 'List deletions, newest first' },
  description: 'What was ever asked to be deleted, by whom and why, and how far that is.',
  query: pageQuerySchema,
  response: {
    200: { description: 'A page.', schema: pageOf(deletion), example: pageExample(example) }
  },
  problems: [...readProblems, 'role_missing', 'invalid_query']
}

export const showDeletionOperation: Operation = {
  ...{ operation_id: 'showDeletion', tag, summary: 'Read a deletion' },
  description: 'How far it is.',
  params: idParams('deletion_id', uuidPattern, 'As it was answered when it was asked for.'),
  response: { 200: { description: 'The deletion.', schema: deletion, example } },
  problems: [...readProblems, 'role_missing', 'deletion_not_found']
}
