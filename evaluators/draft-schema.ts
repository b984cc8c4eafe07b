/** Defines the JSON Schema of an evaluator in a request, except for the configuration of its kind.
 */
import { evaluatorKinds } from '../core/evaluation/evaluator-definition.ts'
import { timeouts } from './complete-draft.ts'

/** Pattern of evaluator and score names. API responses use score names as member names. */
export const namePattern = '^[a-z][a-z0-9_-]*$'
const nameCharactersMax = 100
const labelsMax = 50

const name = { type: 'string', pattern: namePattern, maxLength: nameCharactersMax } as const

const outputSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    name: { ...name, type: ['string', 'null'] },
    data_type: { enum: ['numeric', 'boolean', 'categorical', 'text', null] },
    min: { type: ['number', 'null'] },
    max: { type: ['number', 'null'] },
    labels: {
      type: ['object', 'null'],
      maxProperties: labelsMax,
      propertyNames: { minLength: 1, maxLength: nameCharactersMax },
      additionalProperties: { type: 'number', minimum: 0, maximum: 1 }
    },
    pass: {
      type: ['array', 'null'],
      minItems: 1,
      maxItems: labelsMax,
      uniqueItems: true,
      items: { type: 'string' }
    },
    threshold: { type: ['number', 'null'] },
    direction: { enum: ['higher', 'lower', 'none', null] }
  }
} as const

export const draftSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'kind', 'config'],
  properties: {
    name,
    kind: { enum: evaluatorKinds },
    description: { type: ['string', 'null'], maxLength: 1000 },
    config: { type: 'object' },
    output: outputSchema,
    timeout_ms: { type: ['integer', 'null'], minimum: 1, maximum: timeouts.network.max }
  }
} as const
