/** What a caller needs to know of `GET /v1/evaluation/{decision_id}`. */
import type { Operation } from '../route.ts'
import { decisionIdParams, evaluationStatus, integerOrNull, objectOf } from './response-schemas.ts'
import { scores, scoresExample, textOrNull, time, uuid, verdict } from './response-schemas.ts'
import { waitQuerySchema } from './wait-until.ts'

const count = { type: 'integer', minimum: 0 } as const
const text = { type: 'string' } as const

const progress = objectOf({
  planned: count,
  succeeded: count,
  failed: count,
  skipped: count,
  pending: count
})

const planEntry = objectOf({
  rule: text,
  evaluator: text,
  outcome: { type: 'string', description: 'succeeded, failed or skipped; may grow.' },
  reason: textOrNull
})

const run = objectOf({
  run_id: uuid,
  rule: text,
  evaluator: text,
  evaluator_kind: text,
  evaluator_version: { type: 'integer' },
  generation: { type: 'integer', description: 'Above 0 for a replay.' },
  status: text,
  status_reason: textOrNull,
  attempts: count,
  duration_us: integerOrNull,
  evaluated_at: time,
  scores: { type: 'array', items: text, description: 'Names of the scores it gave.' }
})

const example = {
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  status: 'evaluated',
  reason: null,
  verdict: 'pass',
  progress: { planned: 1, succeeded: 1, failed: 0, skipped: 0, pending: 0 },
  plan: [{ rule: 'default', evaluator: 'output_not_empty', outcome: 'succeeded', reason: null }],
  runs: [
    {
      run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
      rule: 'default',
      evaluator: 'output_not_empty',
      evaluator_kind: 'heuristic',
      evaluator_version: 1,
      generation: 0,
      status: 'succeeded',
      status_reason: null,
      attempts: 1,
      duration_us: 12,
      evaluated_at: '2026-01-31T12:00:00.310Z',
      scores: ['output_not_empty']
    }
  ],
  scores: scoresExample,
  updated_at: '2026-01-31T12:00:00.390Z'
}

export const readEvaluationOperation: Operation = {
  operation_id: 'readEvaluation',
  tag: 'evaluation',
  summary: 'Read the evaluation of a decision',
  description:
    'Answers what was planned for the decision, what became of each run and why, and the scores. ' +
    'Takes a session, or an API key with the scope `evaluation:read`.',
  params: decisionIdParams,
  query: waitQuerySchema('evaluated'),
  response: {
    200: {
      description: 'The evaluation as far as it has come.',
      schema: objectOf({
        decision_id: uuid,
        status: evaluationStatus,
        reason: { type: ['string', 'null'], description: 'Why there is no score, or not all.' },
        verdict,
        progress,
        plan: { type: 'array', items: planEntry },
        runs: {
          type: 'array',
          items: run,
          description: 'Also those that a replay took over from.'
        },
        scores,
        updated_at: time
      }),
      example
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'api_key_malformed',
    'api_key_invalid',
    'scope_missing',
    'decision_not_found',
    'invalid_query',
    'authentication_unavailable',
    'overloaded',
    'store_unavailable'
  ]
}
