/** The form of an evaluator: as a caller writes it, and as it is shown. */
import { evaluatorKinds } from '../../core/evaluation/evaluator-definition.ts'
import { draftSchema } from '../../evaluators/draft-schema.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { BodyDefinition } from '../../http/route.ts'
import { integerOrNull, objectOf, textOrNull, time } from '../response-schemas.ts'

export const evaluatorBytesMax = 256 * 1024

const selfTest = {
  type: 'boolean',
  description: 'Whether a judge is attacked before it is saved; true when nothing is said.'
} as const

const { name, description, config, output, timeout_ms } = draftSchema.properties

export const evaluatorExampleBody = {
  name: 'answers_briefly',
  kind: 'heuristic',
  description: 'No answer is longer than a screen.',
  config: { check: 'length', max: 2000, unit: 'characters' }
}

export const evaluatorBodySchema: JsonSchema = {
  ...draftSchema,
  properties: { ...draftSchema.properties, self_test: selfTest }
}

export const createBody: BodyDefinition = {
  schema: evaluatorBodySchema,
  example: evaluatorExampleBody,
  bytesMax: evaluatorBytesMax,
  // By the handler, in the compute thread: what a tenant wrote decides what it costs.
  check: () => []
}

export const changeBody: BodyDefinition = {
  schema: {
    type: 'object',
    properties: { name, description, config, output, timeout_ms, self_test: selfTest },
    additionalProperties: false
  },
  example: { config: { check: 'length', max: 1500, unit: 'characters' } },
  bytesMax: evaluatorBytesMax
}

const numberOrNull = { type: ['number', 'null'] } as const
const timeOrNull = { ...time, type: ['string', 'null'] }

export const evaluatorSchema = objectOf({
  evaluator_id: { type: 'string' },
  name: { type: 'string' },
  kind: { enum: evaluatorKinds },
  description: textOrNull,
  built_in: { type: 'boolean' },
  version: { type: 'integer', minimum: 1 },
  config: { type: 'object', description: 'What the kind needs; see docs/evaluators.md.' },
  output: objectOf({
    name: { type: 'string', description: 'Of the score.' },
    data_type: { enum: ['numeric', 'boolean', 'categorical', 'text'] },
    min: numberOrNull,
    max: numberOrNull,
    labels: { type: ['object', 'null'], additionalProperties: { type: 'number' } },
    pass: { type: ['array', 'null'], items: { type: 'string' } },
    threshold: numberOrNull,
    direction: { enum: ['higher', 'lower', 'none'] }
  }),
  timeout_ms: { type: 'integer' },
  config_hash: { type: 'string', description: 'Versions with one hash give the same scores.' },
  self_test: {
    type: ['object', 'null'],
    description: 'What attacks on a judge came to when it was saved; null when nobody tried.'
  },
  created_by: textOrNull,
  created_at: { ...timeOrNull, description: 'Of the evaluator; null for a built-in one.' },
  updated_at: { ...timeOrNull, description: 'Of this version.' }
})

export const evaluatorExample = {
  evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  ...evaluatorExampleBody,
  built_in: false,
  version: 1,
  output: {
    ...{ name: 'answers_briefly', data_type: 'boolean', min: null, max: null },
    ...{ labels: null, pass: null, threshold: null, direction: 'higher' }
  },
  timeout_ms: 100,
  config_hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  self_test: null,
  created_by: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z'
}

const usage = objectOf({
  calls: { type: 'integer' },
  input_tokens: integerOrNull,
  output_tokens: integerOrNull,
  usd: { ...numberOrNull, description: 'Null when the price is not known.' }
})

export const testResultSchema = objectOf({
  results: {
    type: 'array',
    items: objectOf({
      decision_id: textOrNull,
      status: { enum: ['succeeded', 'failed', 'skipped'] },
      status_reason: textOrNull,
      score: { type: ['object', 'null'], description: 'As it would be stored.' },
      duration_ms: { type: 'number' },
      error: textOrNull,
      usage: { ...usage, type: ['object', 'null'] }
    })
  },
  usage
})

export const testResultExample = {
  results: [
    {
      decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
      status: 'succeeded',
      status_reason: null,
      score: {
        ...{ name: 'answers_briefly', data_type: 'boolean', value: 1, label: null, passed: true },
        ...{ reason: 'It has 54 characters.', normalized: 1, confidence: null, evidence: null }
      },
      ...{ duration_ms: 0.021, error: null, usage: null }
    }
  ],
  usage: { calls: 0, input_tokens: 0, output_tokens: 0, usd: 0 }
}
