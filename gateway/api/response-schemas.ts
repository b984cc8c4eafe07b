/** Parts of answers that several operations describe. */
import { uuidPattern } from '../../core/ids.ts'
import type { JsonSchema } from '../../platform/json-schema.ts'

export const uuid: JsonSchema = { type: 'string', format: 'uuid' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const textOrNull: JsonSchema = { type: ['string', 'null'] }
export const integerOrNull: JsonSchema = { type: ['integer', 'null'] }

export const verdict: JsonSchema = {
  enum: ['pass', 'fail', 'mixed', 'none'],
  description: 'What the scores with an opinion say together; `none` when no score has one.'
}

export const evaluationStatus: JsonSchema = {
  enum: ['pending', 'evaluating', 'evaluated', 'partial', 'failed', 'not_evaluated'],
  description:
    '`pending`: no run has ended. `evaluating`: some have. `evaluated`: all have, none failed. ' +
    '`partial`: some failed. `failed`: none succeeded. `not_evaluated`: every run was skipped.'
}

/** An object that always has all of these members and may get more one day. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

export const scores: JsonSchema = {
  type: 'object',
  description: 'The latest score of each name.',
  additionalProperties: objectOf({
    score_id: uuid,
    data_type: { type: 'string', description: 'numeric, boolean, categorical or text.' },
    value: { type: ['number', 'null'], description: 'A boolean is 0 or 1.' },
    label: textOrNull,
    passed: { type: ['boolean', 'null'] },
    reason: textOrNull,
    run_id: uuid,
    rule: { type: 'string' },
    evaluator: { type: 'string' },
    evaluator_version: { type: 'integer' },
    evaluated_at: time
  })
}

/** A parameter of a path whose value names a decision. */
export const decisionIdParams: JsonSchema = {
  type: 'object',
  required: ['decision_id'],
  properties: {
    decision_id: {
      type: 'string',
      pattern: uuidPattern,
      description: 'As POST /v1/ingest answered it; any other text is an id that does not exist.'
    }
  }
}

export const scoresExample = {
  output_not_empty: {
    score_id: '5f0c8a52-6f0b-5d0b-9f43-6c1d64b7a3f2',
    data_type: 'boolean',
    value: 1,
    label: null,
    passed: true,
    reason: null,
    run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
    rule: 'default',
    evaluator: 'output_not_empty',
    evaluator_version: 1,
    evaluated_at: '2026-01-31T12:00:00.310Z'
  }
}
