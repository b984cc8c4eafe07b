/** Defines JSON schemas and examples that several operations share. */
import { displayNamePattern } from '../core/display-name-pattern.ts'
import { evaluationStatuses } from '../core/evaluation/evaluation-status.ts'
import { verdicts } from '../core/evaluation/evaluation.ts'
import { uuidPattern } from '../core/ids/ids.ts'
import { boolean, exampleOf, integer, mapOf, number, objectOf, oneOf } from '../http/schema.ts'
import { orNull, schemaFor, text, timeWith, withExample } from '../http/schema.ts'
import type { TSchema } from '../http/schema.ts'

export { objectOf } from '../http/schema.ts'

export const uuid = text({ format: 'uuid' })
export const time = timeWith()
export const timeOrNull = orNull(time)
export const textOrNull = orNull(text())
export const count = integer({ minimum: 0 })
export const integerOrNull = orNull(integer())
/** Schemas of members that are usually null. */
export const noText = orNull(text(), { example: null })
export const noTime = orNull(time, { example: null })

export function usuallyNull<T extends TSchema>(schema: T, description: string) {
  return orNull(schema, { description, example: null })
}

/** Matches text that Postgres stores unchanged: no U+0000 and no unpaired surrogates. */
export const plainText = '^[^\\u0000\\ud800-\\udfff]*$'

export const nameText = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: displayNamePattern
} as const

export const nameSchema = text({
  ...nameText,
  description: 'Unique among the resources of this type in the organization.'
})

export const verdict = oneOf(verdicts, {
  description:
    'Combined result of the scores that pass or fail: `pass` if all pass, `fail` if all ' +
    'fail, `mixed` if some pass and some fail. `none` if no score passes or fails.'
})

export const evaluationStatus = oneOf(evaluationStatuses, {
  description:
    '`pending`: no run has started. `evaluating`: a run is running, or some have ended. ' +
    '`evaluated`: all have ended, none failed. `partial`: some succeeded, some failed. ' +
    '`failed`: some failed, none succeeded. `not_evaluated`: all runs were skipped, or none ' +
    'was planned.',
  example: 'evaluated'
})

export function countOf(description: string, example = 1) {
  return integer({ minimum: 0, description, example })
}

/** Returns the schemas of counts, by name. */
export function countsOf<N extends string>(examples: Readonly<Record<N, number>>) {
  const counts = Object.entries<number>(examples).map(
    ([name, example]) => [name, withExample(count, example)] as const
  )
  return Object.fromEntries(counts) as Readonly<Record<N, typeof count>>
}

export const progress = objectOf({
  ...countsOf({ planned: 1, succeeded: 1, failed: 0, skipped: 0, pending: 0 }),
  blocked: countOf('Number of `pending` runs that wait for an unavailable provider.', 0),
  expired: countOf('Number of `failed` runs that expired before they could run.', 0),
  canceled: countOf('Number of `skipped` runs that were canceled.', 0)
})

const noNumber = orNull(number(), { example: null })

/** The members that runs and scores share: the run, its rule and its evaluator. */
export const originMembers = {
  run_id: text({ format: 'uuid', example: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44' }),
  rule_id: orNull(text({ example: 'rul_01938c4e5b7a7c3e9f002f6d1c1b8a55' })),
  evaluator: text({ example: 'refund_policy' }),
  evaluator_id: orNull(text({ example: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55' })),
  evaluator_version: integer({ example: 3 })
}

export const ruleName = text({ example: 'refunds' })

/** Fields of a score, except its name. */
export const scoreValueMembers = {
  score_id: text({ format: 'uuid', example: '5f0c8a52-6f0b-5d0b-9f43-6c1d64b7a3f2' }),
  data_type: text({
    description: '`numeric`, `boolean`, `categorical` or `text`.',
    example: 'boolean'
  }),
  value: orNull(number({ description: 'The value as a number; a boolean score is 0 or 1.' })),
  label: noText,
  passed: orNull(boolean()),
  reason: orNull(text({ example: 'The refund is within the limit.' })),
  normalized: orNull(number({ description: 'The value on a scale from 0 (worst) to 1 (best).' })),
  threshold: usuallyNull(number(), 'The value at which the score passes.'),
  range_min: noNumber,
  range_max: noNumber,
  direction: orNull(
    text({
      description: 'Which values are better: `higher`, `lower` or `none`.',
      example: 'higher'
    })
  ),
  confidence: noNumber,
  evidence: schemaFor<unknown>({
    description:
      'The parts of the decision that support the score, as a list; null if none are given.',
    example: null
  }),
  source_kind: text({
    description: '`evaluator`, `api`, `human` or `end_user`. New values may be added.',
    example: 'evaluator'
  }),
  source_id: noText
}

/** Fields of a stored score, except its name. */
export const storedScoreMembers = { ...scoreValueMembers, ...originMembers, evaluated_at: time }

/** The members of a stored score, with the name of its rule. */
export const scoreMembers = { ...storedScoreMembers, rule: ruleName }

const namedScore = objectOf({
  ...scoreMembers,
  effective_value: schemaFor<number | string | null>({
    type: ['number', 'string', 'null'],
    description:
      'The value that counts for this name: from a human if there is one, otherwise from ' +
      'an evaluator, the API or an end user, in this order. The label if the score has no ' +
      'value.'
  }),
  effective_passed: orNull(boolean()),
  effective_source: text({
    description: 'The `source_kind` of the score that counts.',
    example: 'evaluator'
  }),
  other_sources: mapOf(objectOf(scoreMembers), {
    description: 'The latest score of each other source of this name.'
  })
})

export const scores = mapOf(namedScore, {
  description:
    'Scores by name. Each is the latest score of an evaluator if there is one, otherwise of ' +
    'the API, a human or an end user.'
})
/** Example of `scores`. Not part of that schema, because list examples omit the optional scores. */
export const scoresExample = { refund_policy: exampleOf(namedScore) }

/** The path parameter that identifies a decision. */
export const decisionIdParameter = {
  decision_id: text({
    pattern: uuidPattern,
    description: 'The `decision_id` that POST /v1/ingest returned. Any other text returns 404.'
  })
}
