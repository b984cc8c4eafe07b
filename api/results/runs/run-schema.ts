/** Parts of what the operations on runs describe. */
import { uuidPattern } from '../../../core/ids/ids.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import {
  count,
  integerOrNull,
  objectOf,
  textOrNull,
  timeOrNull,
  uuid
} from '../../response-schemas.ts'

const text = { type: 'string' } as const
const uuidOrNull = { type: ['string', 'null'], format: 'uuid' } as const
const usd: JsonSchema = {
  type: ['number', 'null'],
  description: 'US dollars; null when the price is not known.'
}

const recordMembers = {
  run_id: uuid,
  decision_id: uuid,
  rule_id: textOrNull,
  rule: text,
  evaluator_id: textOrNull,
  evaluator: text,
  evaluator_kind: text,
  evaluator_version: { type: 'integer' },
  generation: { type: 'integer', description: 'Above 0 for a replay.' },
  replay_of: uuidOrNull,
  superseded_by: uuidOrNull,
  status: text,
  status_reason: textOrNull,
  attempts: count,
  scheduled_at: timeOrNull,
  started_at: timeOrNull,
  next_attempt_at: timeOrNull,
  expires_at: timeOrNull,
  cancel_requested_at: timeOrNull,
  evaluated_at: timeOrNull,
  error: { ...textOrNull, description: 'What went wrong, without anything of the decision.' },
  http_status: integerOrNull,
  provider: textOrNull,
  model: textOrNull,
  model_reported: textOrNull,
  input_tokens: integerOrNull,
  output_tokens: integerOrNull,
  usd,
  latency_ms: integerOrNull,
  duration_us: integerOrNull,
  agent_id: textOrNull,
  session_id: textOrNull,
  domain: textOrNull
} satisfies Record<string, JsonSchema>

export const runSchema = objectOf(recordMembers)

export const runDetail = objectOf({
  ...recordMembers,
  attempts_made: { ...count, description: 'How many of them counted.' },
  attempts: {
    type: 'array',
    description: 'Every call that it made or began to make.',
    items: objectOf({
      attempt: count,
      counted: { type: 'boolean', description: 'Waiting for a provider does not count.' },
      started_at: { type: 'string', format: 'date-time' },
      finished_at: timeOrNull,
      outcome: textOrNull,
      status_reason: textOrNull,
      http_status: integerOrNull,
      error: textOrNull,
      model: textOrNull,
      model_reported: textOrNull,
      input_tokens: integerOrNull,
      output_tokens: integerOrNull,
      usd,
      latency_ms: integerOrNull,
      reply: { ...textOrNull, description: 'What the judge answered; for admins and owners.' }
    })
  },
  prompt: {
    type: ['array', 'null'],
    description: 'What the judge is asked about this decision; for admins and owners.',
    items: { type: 'object' }
  }
})

export const runExample = {
  run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  rule_id: 'rul_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  rule: 'refunds',
  evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  evaluator: 'refund_policy',
  evaluator_kind: 'llm_judge',
  evaluator_version: 3,
  generation: 0,
  replay_of: null,
  superseded_by: null,
  status: 'failed',
  status_reason: 'invalid_result',
  attempts: 1,
  scheduled_at: '2026-01-31T12:00:00.200Z',
  started_at: '2026-01-31T12:00:00.300Z',
  next_attempt_at: null,
  expires_at: null,
  cancel_requested_at: null,
  evaluated_at: '2026-01-31T12:00:01.310Z',
  error: 'the reply is not JSON',
  http_status: 200,
  provider: null,
  model: 'small-1',
  model_reported: 'small-1-2026-01',
  input_tokens: 812,
  output_tokens: 61,
  usd: 0.00031,
  latency_ms: 640,
  duration_us: null,
  agent_id: 'refund-agent',
  session_id: null,
  domain: 'refunds'
}

/** A parameter of a path whose value names a run. */
export const runIdParams: JsonSchema = {
  type: 'object',
  required: ['run_id'],
  properties: {
    run_id: {
      type: 'string',
      pattern: uuidPattern,
      description: 'As evaluations and lists of runs tell it.'
    }
  }
}
