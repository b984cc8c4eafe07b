/** Request and response schemas for evaluators and their tests, with examples. */
import { evaluatorKinds } from '../../core/evaluation/evaluator-definition.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import type { EvaluatorInput } from '../../evaluators/complete-draft.ts'
import { draftSchema, namePattern } from '../../evaluators/draft-schema.ts'
import { boolean, closed, exampleOf, integer, listOf, mapOf, number } from '../../http/schema.ts'
import { objectOf, oneOf, optional, orNull, schemaFor, text, timeWith } from '../../http/schema.ts'
import { withExample } from '../../http/schema.ts'
import type { Static, TObject, TProperties } from '../../http/schema.ts'
import { createCheck } from '../../platform/validation/json-schema.ts'
import type { Check } from '../../platform/validation/json-schema.ts'
import { textOrNull, uuid } from '../response-schemas.ts'

export const evaluatorBytesMax = 256 * 1024
export const testBytesMax = 1024 * 1024
export const testItemsMax = 20

const selfTest = boolean({
  description:
    'Whether to attack a judge before it is saved, and keep the result as `self_test`. ' +
    'Default: true.'
})

export type EvaluatorBody = EvaluatorInput & { readonly self_test?: boolean }
export type EvaluatorChange = Partial<Omit<EvaluatorBody, 'kind'>>

const evaluatorBody = schemaFor<EvaluatorBody>({
  ...draftSchema,
  properties: { ...draftSchema.properties, self_test: selfTest }
})

const bodyExample = {
  name: 'answers_briefly',
  kind: 'heuristic',
  description: 'No answer is longer than a screen.',
  config: { check: 'length', max: 2000, unit: 'characters' }
} as const

export const newEvaluator = withExample(evaluatorBody, bodyExample)

const { name, description, config, output, timeout_ms } = draftSchema.properties

export const evaluatorChange = schemaFor<EvaluatorChange>({
  type: 'object',
  properties: { name, description, config, output, timeout_ms, self_test: selfTest },
  additionalProperties: false,
  example: { config: { check: 'length', max: 1500, unit: 'characters' } }
})

export const evaluatorParams = {
  evaluator_id: text({
    pattern: `${prefixedIdPattern('evl')}|${namePattern}`,
    description:
      'The `evaluator_id` of the response that created the evaluator, or the name of a built-in ' +
      'one.'
  })
}

export const versionParams = {
  ...evaluatorParams,
  version: text({ pattern: '^[1-9][0-9]{0,8}$', description: 'From 1.' })
}

const numberOrNull = orNull(number(), { example: null })

export const evaluator = objectOf({
  evaluator_id: text({ example: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55' }),
  name: text({ example: bodyExample.name }),
  kind: oneOf(evaluatorKinds),
  description: orNull(text({ example: bodyExample.description })),
  built_in: boolean({ example: false }),
  version: integer({ minimum: 1 }),
  config: schemaFor<object>({
    type: 'object',
    description: 'The configuration of the kind; see docs/reference/evaluators.md.',
    example: bodyExample.config
  }),
  output: objectOf({
    name: text({ description: 'The name of the score.', example: bodyExample.name }),
    data_type: oneOf(['numeric', 'boolean', 'categorical', 'text'], { example: 'boolean' }),
    min: numberOrNull,
    max: numberOrNull,
    labels: orNull(mapOf(number()), { example: null }),
    pass: orNull(listOf(text()), { example: null }),
    threshold: numberOrNull,
    direction: oneOf(['higher', 'lower', 'none'])
  }),
  timeout_ms: integer({ example: 100 }),
  config_hash: text({
    description: 'Versions with the same hash give the same scores.',
    example: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  }),
  self_test: schemaFor<unknown>({
    type: ['object', 'null'],
    description: 'The result of the attacks on a judge when it was saved; null if there were none.',
    example: null
  }),
  created_by: orNull(text({ example: '01938c4e-1111-7000-8000-5b7a9f002f6d' })),
  created_at: orNull(
    timeWith({ description: 'When the evaluator was created; null for a built-in one.' })
  ),
  updated_at: orNull(timeWith({ description: 'When this version was created.' }))
})
export type EvaluatorView = Static<typeof evaluator>

const countOrNull = orNull(integer({ minimum: 0 }))

const subjects = {
  decision_ids: optional(
    listOf(text({ pattern: uuidPattern }), { minItems: 1, maxItems: testItemsMax })
  ),
  sample: optional(
    closed(
      { n: integer({ minimum: 1, maximum: testItemsMax }) },
      { description: 'The newest decisions.' }
    )
  ),
  inline: optional(
    closed(
      {
        input: schemaFor<unknown>({ description: 'Any JSON.' }),
        output: text(),
        metadata: optional(schemaFor<object | null>({ type: ['object', 'null'] })),
        agent_id: optional(textOrNull),
        session_id: optional(textOrNull),
        domain: optional(textOrNull),
        input_tokens: optional(countOrNull),
        output_tokens: optional(countOrNull)
      },
      { description: 'A decision to use instead of stored ones.' }
    )
  )
}
export type Subjects = Static<TObject<typeof subjects>>

/** Creates a check that, beyond the schema, requires exactly one source of decisions. */
function createTestCheck(members: TProperties): Check {
  const check = createCheck(closed(members))
  return (body) => {
    const violations = check(body)
    if (typeof body !== 'object' || body === null) return violations
    const named = Object.keys(subjects).filter((name) => Object.hasOwn(body, name))
    const detail = 'must have exactly one of decision_ids, sample and inline'
    return named.length === 1 ? violations : [...violations, { pointer: '', detail }]
  }
}

const savedMembers = {
  version: optional(
    integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Default: the latest version.' })
  ),
  ...subjects
}
export const savedTest = closed(savedMembers, { example: { sample: { n: 5 } } })
export const checkSavedTest = createTestCheck(savedMembers)

export const draftTest = withExample(closed({ evaluator: evaluatorBody, ...subjects }), {
  evaluator: bodyExample,
  inline: { input: 'May I have a refund?', output: 'Yes: you asked within 30 days.' }
})
// The handler validates the evaluator itself in the compute thread.
export const checkDraftTest = createTestCheck({ evaluator: schemaFor<unknown>({}), ...subjects })

const usage = objectOf({
  calls: integer({ example: 0 }),
  input_tokens: orNull(integer({ example: 0 })),
  output_tokens: orNull(integer({ example: 0 })),
  usd: orNull(number({ description: 'Null if the price is unknown.', example: 0 }))
})

const noText = orNull(text(), { example: null })

const result = objectOf({
  decision_id: orNull(text({ example: exampleOf(uuid) })),
  status: oneOf(['succeeded', 'failed', 'skipped']),
  status_reason: noText,
  score: schemaFor<object | null>({
    type: ['object', 'null'],
    description: 'The score as it would be stored.',
    example: {
      name: bodyExample.name,
      data_type: 'boolean',
      value: 1,
      label: null,
      passed: true,
      reason: 'The output has 54 characters.',
      normalized: 1,
      confidence: null,
      evidence: null
    }
  }),
  duration_ms: number({ example: 0.021 }),
  error: noText,
  usage: orNull(usage, { example: null })
})
export type EvaluatorTestResult = Static<typeof result>

export const testResults = objectOf({ results: listOf(result), usage })
