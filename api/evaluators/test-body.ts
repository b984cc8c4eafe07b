/** What an evaluator is to be tried on, for one that is saved and for one that is not. */
import { uuidPattern } from '../../core/ids/ids.ts'
import type { Violation } from '../../core/problem.ts'
import { createCheck } from '../../platform/validation/json-schema.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { BodyDefinition } from '../../http/route.ts'
import { evaluatorBodySchema, evaluatorExampleBody } from './evaluator-schema.ts'
import { testItemsMax } from './test-items.ts'

const testBytesMax = 1024 * 1024
const textOrNull = { type: ['string', 'null'] } as const
const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const

const subjects = {
  decision_ids: {
    type: 'array',
    minItems: 1,
    maxItems: testItemsMax,
    items: { type: 'string', pattern: uuidPattern }
  },
  sample: {
    type: 'object',
    description: 'The newest decisions.',
    required: ['n'],
    properties: { n: { type: 'integer', minimum: 1, maximum: testItemsMax } },
    additionalProperties: false
  },
  inline: {
    type: 'object',
    description: 'A decision that is made up.',
    required: ['input', 'output'],
    properties: {
      input: { description: 'Any JSON.' },
      output: { type: 'string' },
      metadata: { type: ['object', 'null'] },
      agent_id: textOrNull,
      session_id: textOrNull,
      domain: textOrNull,
      input_tokens: countOrNull,
      output_tokens: countOrNull
    },
    additionalProperties: false
  }
} as const

const version = {
  type: 'integer',
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'The latest when nothing is said.'
} as const

function objectSchema(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: 'object', required, properties, additionalProperties: false }
}

/** One of them, and no more: else nobody could say which results are whose. */
function checkSubjects(body: unknown): Violation[] {
  if (typeof body !== 'object' || body === null) return []
  const named = Object.keys(subjects).filter((name) => Object.hasOwn(body, name))
  const detail = 'must have one of decision_ids, sample and inline'
  return named.length === 1 ? [] : [{ pointer: '', detail }]
}

const savedSchema = objectSchema({ version, ...subjects })
const checkSaved = createCheck(savedSchema)

export const testSavedBody: BodyDefinition = {
  schema: savedSchema,
  example: { sample: { n: 5 } },
  bytesMax: testBytesMax,
  check: (body) => [...checkSaved(body), ...checkSubjects(body)]
}

const checkDraft = createCheck(objectSchema({ evaluator: {}, ...subjects }, ['evaluator']))

export const testDraftBody: BodyDefinition = {
  schema: objectSchema({ evaluator: evaluatorBodySchema, ...subjects }, ['evaluator']),
  example: {
    evaluator: evaluatorExampleBody,
    inline: { input: 'May I have a refund?', output: 'Yes: you asked within 30 days.' }
  },
  bytesMax: testBytesMax,
  // The evaluator itself is checked by the handler, in the compute thread.
  check: (body) => [...checkDraft(body), ...checkSubjects(body)]
}
