/** Parts of answers that several operations describe. */
import { uuidPattern } from '../core/ids/ids.ts'
import type { JsonSchema } from '../platform/validation/json-schema.ts'

export const uuid: JsonSchema = { type: 'string', format: 'uuid' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
export const textOrNull: JsonSchema = { type: ['string', 'null'] }
export const count: JsonSchema = { type: 'integer', minimum: 0 }
export const integerOrNull: JsonSchema = { type: ['integer', 'null'] }

export const verdict: JsonSchema = {
  enum: ['pass', 'fail', 'mixed', 'none'],
  description: 'What the scores with an opinion say together; `none` when no score has one.'
}

export const evaluationStatus: JsonSchema = {
  enum: ['pending', 'evaluating', 'evaluated', 'partial', 'failed', 'not_evaluated'],
  description:
    '`pending`: no run has ended. `evaluating`: some have. `evaluated`: all have, none failed. ' +
    '`partial`: some failed. `failed`: none succeeded. `not_evaluated`: every run was skipped, ' +
    'or none was planned.'
}

/** An object that always has all of these members and may get more one day. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

export const progress: JsonSchema = objectOf({
  planned: count,
  succeeded: count,
  failed: count,
  skipped: count,
  pending: count,
  blocked: { ...count, description: 'Those of `pending` that wait for a provider to work again.' },
  expired: { ...count, description: 'Those of `failed` whose time was over.' },
  canceled: { ...count, description: 'Those of `skipped` that somebody stopped.' }
})

export const progressExample = {
  planned: 1,
  succeeded: 1,
  failed: 0,
  skipped: 0,
  pending: 0,
  blocked: 0,
  expired: 0,
  canceled: 0
}

const numberOrNull: JsonSchema = { type: ['number', 'null'] }

/** A score as it is stored; its name is said elsewhere. */
export const storedScoreMembers = {
  score_id: uuid,
  data_type: { type: 'string', description: 'numeric, boolean, categorical or text.' },
  value: { type: ['number', 'null'], description: 'A boolean is 0 or 1.' },
  label: textOrNull,
  passed: { type: ['boolean', 'null'] },
  reason: textOrNull,
  normalized: { type: ['number', 'null'], description: 'From 0, the worst, to 1, the best.' },
  threshold: { type: ['number', 'null'], description: 'Where `passed` begins.' },
  range_min: numberOrNull,
  range_max: numberOrNull,
  direction: { type: ['string', 'null'], description: 'What is better: higher, lower or none.' },
  confidence: numberOrNull,
  evidence: { description: 'Places in the decision that it rests on, as a list; or null.' },
  source_kind: { type: 'string', description: 'evaluator, api, human or end_user; may grow.' },
  source_id: textOrNull,
  run_id: uuid,
  rule_id: textOrNull,
  evaluator: { type: 'string' },
  evaluator_id: textOrNull,
  evaluator_version: { type: 'integer' },
  evaluated_at: time
} satisfies Record<string, JsonSchema>

/** The same beside its run, which knows the name of the rule. */
export const scoreMembers = { ...storedScoreMembers, rule: { type: 'string' } as JsonSchema }

export const scores: JsonSchema = {
  type: 'object',
  description: 'The latest score of each name.',
  additionalProperties: objectOf({
    ...scoreMembers,
    effective_value: {
      type: ['number', 'string', 'null'],
      description:
        "What counts: a person's score before the machine's. A label where there is no number."
    },
    effective_passed: { type: ['boolean', 'null'] },
    effective_source: { type: 'string', description: 'Whose that is.' },
    other_sources: {
      type: 'object',
      description: 'The latest of each other source of the name.',
      additionalProperties: objectOf(scoreMembers)
    }
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

export const storedScoreExample = {
  score_id: '5f0c8a52-6f0b-5d0b-9f43-6c1d64b7a3f2',
  data_type: 'boolean',
  value: 1,
  label: null,
  passed: true,
  reason: null,
  normalized: 1,
  threshold: null,
  range_min: null,
  range_max: null,
  direction: 'higher',
  confidence: null,
  evidence: null,
  source_kind: 'evaluator',
  source_id: null,
  run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
  rule_id: 'default',
  evaluator: 'output_not_empty',
  evaluator_id: 'output_not_empty',
  evaluator_version: 1,
  evaluated_at: '2026-01-31T12:00:00.310Z'
}

export const scoreExample = { ...storedScoreExample, rule: 'default' }

export const scoresExample = {
  output_not_empty: {
    ...scoreExample,
    effective_value: 1,
    effective_passed: true,
    effective_source: 'evaluator',
    other_sources: {}
  }
}
