/** The form of a rule: as a caller writes it, and as it is shown. */
import { fewStars, starsMax } from '../../core/evaluation/rule.ts'
import { usdMax } from '../../core/evaluation/usd.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { BodyDefinition } from '../../http/route.ts'
import { nameSchema, plainText } from '../configuration/operation-parts.ts'
import { objectOf } from '../response-schemas.ts'

const patternsMax = 50
const membersMax = 20
const textsMax = 50
const textCharsMax = 1000
const evaluatorsMax = 20
const daySeconds = 86_400

/** Patterns of which one has to fit. */
function patterns(what: string, maxLength: number): JsonSchema {
  return {
    type: 'array',
    minItems: 1,
    maxItems: patternsMax,
    items: { type: 'string', maxLength, pattern: plainText, allOf: [{ pattern: fewStars }] },
    description:
      `Patterns for ${what}, in which up to ${starsMax} \`*\` each stand for any text. ` +
      'Without them any will do.'
  }
}

/** One schema for what is taken and what is shown, so that what is read can be sent back. */
const terms = {
  name: nameSchema,
  enabled: { type: 'boolean', description: 'True when nothing is said.' },
  match: {
    type: 'object',
    description: 'Which decisions it is about: all that fit every member that is said.',
    properties: {
      domains: patterns('the domain', 100),
      agent_ids: patterns('the agent_id', 255),
      session_ids: patterns('the session_id', 1000),
      metadata: {
        type: 'object',
        maxProperties: membersMax,
        description: 'Members of the metadata with the texts that they may have.',
        propertyNames: { maxLength: textCharsMax },
        additionalProperties: {
          type: 'array',
          minItems: 1,
          maxItems: textsMax,
          items: { type: 'string', maxLength: textCharsMax }
        }
      }
    },
    additionalProperties: false
  },
  sampling: {
    type: 'object',
    description: 'How many of those; rules of one cohort choose the same ones.',
    properties: {
      rate: { type: 'number', minimum: 0, maximum: 1, description: '1 when nothing is said.' },
      key: {
        enum: ['decision', 'session'],
        description: 'Whether a session is taken or left as a whole. `decision` by default.'
      },
      cohort: { type: 'string', minLength: 1, maxLength: 100, pattern: plainText }
    },
    additionalProperties: false
  },
  evaluators: {
    type: 'array',
    minItems: 1,
    maxItems: evaluatorsMax,
    items: {
      type: 'object',
      required: ['evaluator_id'],
      properties: {
        evaluator_id: { type: 'string', maxLength: 100, pattern: plainText },
        version: {
          anyOf: [{ const: 'latest' }, { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 }],
          description: '`latest` follows the evaluator; a number stays with that version.'
        }
      },
      additionalProperties: false
    }
  },
  budget: {
    type: 'object',
    description: 'Of a UTC day.',
    properties: {
      usd_per_day: { type: ['number', 'null'], minimum: 0, maximum: usdMax },
      calls_per_day: { type: ['integer', 'null'], minimum: 0, maximum: 1e9 },
      on_exhausted: {
        enum: ['skip', 'wait'],
        description: 'Whether runs are skipped then, or wait for the next day.'
      }
    },
    additionalProperties: false
  },
  ttl_seconds: {
    type: 'integer',
    minimum: 60,
    maximum: 30 * daySeconds,
    description: 'A run that has not ended by then expires. A day when nothing is said.'
  },
  max_attempts: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: 'Of one run; 8 when nothing is said.'
  }
} as const

/** `built_in` and what it is called and when it was made are shown and not taken. */
export function ruleBodyOf(required: readonly string[], example: unknown): BodyDefinition {
  const schema = { type: 'object', required, properties: terms, additionalProperties: false }
  return { schema, example }
}

export const ruleBodyExample = {
  name: 'refunds',
  match: { domains: ['refunds*'], metadata: { tier: ['gold'] } },
  sampling: { rate: 0.1 },
  evaluators: [{ evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55' }],
  budget: { usd_per_day: 5 }
}

const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const

export const ruleSchema = objectOf({
  rule_id: { type: 'string' },
  built_in: { type: 'boolean' },
  ...terms,
  created_at: timeOrNull,
  updated_at: timeOrNull
})
