/** What a caller needs to know of `GET /v1/evaluation/{decision_id}`. */
import type { Operation } from '../../http/route.ts'
import { count, decisionIdParams, evaluationStatus, integerOrNull } from '../response-schemas.ts'
import { objectOf, progress, progressExample, scores, scoresExample } from '../response-schemas.ts'
import { textOrNull, time, timeOrNull, uuid, verdict } from '../response-schemas.ts'
import { waitQuerySchema } from '../wait-until.ts'

const text = { type: 'string' } as const

export const planEntry = objectOf({
  rule: text,
  rule_id: textOrNull,
  evaluator: { type: ['string', 'null'], description: 'Null for a rule that planned nothing.' },
  evaluator_id: textOrNull,
  evaluator_version: integerOrNull,
  run_id: { type: ['string', 'null'], format: 'uuid' },
  outcome: {
    type: 'string',
    description:
      'not_matched or skipped of a rule; of an evaluator the status of its run: scheduled, ' +
      'running, retrying, blocked, succeeded, failed, skipped, expired or canceled. May grow.'
  },
  reason: textOrNull
})

export const run = objectOf({
  run_id: uuid,
  rule_id: textOrNull,
  rule: text,
  evaluator_id: textOrNull,
  evaluator: text,
  evaluator_kind: text,
  evaluator_version: { type: 'integer' },
  generation: { type: 'integer', description: 'Above 0 for a replay.' },
  replay_of: { type: ['string', 'null'], format: 'uuid', description: 'The run it repeats.' },
  superseded_by: { type: ['string', 'null'], format: 'uuid', description: 'What repeats it.' },
  status: text,
  status_reason: textOrNull,
  attempts: count,
  duration_us: integerOrNull,
  scheduled_at: timeOrNull,
  started_at: timeOrNull,
  next_attempt_at: timeOrNull,
  evaluated_at: { ...timeOrNull, description: 'Null while it has not ended.' },
  scores: { type: 'array', items: text, description: 'Names of the scores it gave.' }
})

const example = {
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  status: 'evaluated',
  reason: null,
  verdict: 'pass',
  progress: progressExample,
  plan: [
    {
      rule: 'default',
      rule_id: 'default',
      evaluator: 'output_not_empty',
      evaluator_id: 'output_not_empty',
      evaluator_version: 1,
      run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
      outcome: 'succeeded',
      reason: null
    }
  ],
  runs: [
    {
      run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
      rule_id: 'default',
      rule: 'default',
      evaluator_id: 'output_not_empty',
      evaluator: 'output_not_empty',
      evaluator_kind: 'heuristic',
      evaluator_version: 1,
      generation: 0,
      replay_of: null,
      superseded_by: null,
      status: 'succeeded',
      status_reason: null,
      attempts: 1,
      duration_us: 12,
      scheduled_at: null,
      started_at: null,
      next_attempt_at: null,
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
    'Answers what each rule planned for the decision or why it did not, what became of each run ' +
    'and why, and the scores. ' +
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
