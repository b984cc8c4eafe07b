/** Request and response schemas for rules and their previews, with examples. */
import { starsMax, starsPattern } from '../../core/evaluation/rule.ts'
import { usdMax } from '../../core/evaluation/usd.ts'
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import { allOptional, boolean, closed, integer, listOf, mapOf, number } from '../../http/schema.ts'
import { objectOf, oneOf, optional, orNull, schemaFor, text } from '../../http/schema.ts'
import { withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { count, nameSchema, plainText, time, timeOrNull, uuid } from '../response-schemas.ts'

const patternsMax = 50
const membersMax = 20
const textsMax = 50
const textCharsMax = 1000
const evaluatorsOfRuleMax = 20
const daySeconds = 86_400

export const ruleDefaults = {
  enabled: true,
  match: {},
  sampling: { rate: 1, key: 'decision', cohort: 'default' },
  budget: { usd_per_day: null, calls_per_day: null, on_exhausted: 'skip' },
  ttl_seconds: daySeconds,
  max_attempts: 8
} as const

function patterns(what: string, maxLength: number) {
  return optional(
    listOf(text({ maxLength, pattern: plainText, allOf: [{ pattern: starsPattern }] }), {
      minItems: 1,
      maxItems: patternsMax,
      description:
        `Patterns for ${what}; at least one must match. Each can contain up to ${starsMax} ` +
        '`*`, which match any text. Default: everything matches.'
    })
  )
}

/**
 * Members that requests and responses share, so that their values in a response can be sent back
 * unchanged.
 */
const terms = {
  name: withExample(nameSchema, 'refunds'),
  enabled: boolean({ description: 'Default: true.' }),
  match: closed(
    {
      domains: patterns('the domain', 100),
      agent_ids: patterns('the agent_id', 255),
      session_ids: patterns('the session_id', 1000),
      metadata: optional(
        mapOf(listOf(text({ maxLength: textCharsMax }), { minItems: 1, maxItems: textsMax }), {
          maxProperties: membersMax,
          description: 'Fields of the metadata, each with the texts that match.',
          propertyNames: { maxLength: textCharsMax }
        })
      )
    },
    {
      description: 'The decisions that the rule applies to: those that match every given field.',
      example: { domains: ['refunds*'], metadata: { tier: ['gold'] } }
    }
  ),
  sampling: closed(
    {
      rate: optional(number({ minimum: 0, maximum: 1, description: 'Default: 1.' })),
      key: optional(
        oneOf(['decision', 'session'], {
          description: 'Whether to sample decisions, or sessions as a whole. Default: `decision`.'
        })
      ),
      cohort: optional(text({ minLength: 1, maxLength: 100, pattern: plainText }))
    },
    {
      description:
        'The share of matching decisions to evaluate. Rules of the same cohort select the same ' +
        'decisions.',
      example: { ...ruleDefaults.sampling, rate: 0.1 }
    }
  ),
  evaluators: listOf(
    closed({
      evaluator_id: text({
        maxLength: 100,
        pattern: plainText,
        example: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55'
      }),
      version: optional(
        schemaFor<'latest' | number>({
          anyOf: [{ const: 'latest' }, { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 }],
          description:
            '`latest` follows the evaluator; a number pins that version. Default: `latest`.',
          example: 'latest'
        })
      )
    }),
    { minItems: 1, maxItems: evaluatorsOfRuleMax }
  ),
  budget: closed(
    {
      usd_per_day: optional(orNull(number({ minimum: 0, maximum: usdMax }))),
      calls_per_day: optional(orNull(integer({ minimum: 0, maximum: 1e9 }))),
      on_exhausted: optional(
        oneOf(['skip', 'wait'], {
          description: 'Whether runs over the budget are skipped, or wait for the next day.'
        })
      )
    },
    {
      description: 'Limits per UTC day.',
      example: { ...ruleDefaults.budget, usd_per_day: 5 }
    }
  ),
  ttl_seconds: integer({
    minimum: 60,
    maximum: 30 * daySeconds,
    description:
      'A run that has not ended after this time expires. ' +
      `Default: ${ruleDefaults.ttl_seconds}, a day.`,
    example: ruleDefaults.ttl_seconds
  }),
  max_attempts: integer({
    minimum: 1,
    maximum: 100,
    description: `The maximum number of attempts of a run. Default: ${ruleDefaults.max_attempts}.`,
    example: ruleDefaults.max_attempts
  })
}

const { name, evaluators } = terms

export const newRule = closed({ ...allOptional(terms), name, evaluators })
export const ruleChange = withExample(closed(allOptional(terms)), { enabled: false })
export type RuleChange = Static<typeof ruleChange>
export const ruleToPreview = closed({ ...allOptional(terms), evaluators })

export const ruleParams = {
  rule_id: text({
    pattern: `${prefixedIdPattern('rul')}|^default$`,
    description: 'The `rule_id` of the response that created the rule, or `default`.'
  })
}

export const rule = objectOf({
  rule_id: text({ example: 'rul_01938c4e5b7a7c3e9f002f6d1c1b8a55' }),
  built_in: boolean({ example: false }),
  ...terms,
  created_at: timeOrNull,
  updated_at: timeOrNull
})
export type RuleView = Static<typeof rule>

const share = number({ minimum: 0, maximum: 1 })

export const rulePreview = withExample(
  objectOf({
    from: time,
    to: time,
    decisions: integer({
      minimum: 0,
      description: 'The number of decisions stored in this period.'
    }),
    sampled_decisions: objectOf({ n: count }),
    matched: objectOf({
      share: orNull(share),
      n: count,
      interval: orNull(listOf(share, { description: 'The 95 % confidence interval of the share.' }))
    }),
    matched_7d: integer({ minimum: 0, description: 'An estimate, before sampling.' }),
    est_runs_per_day: number({ minimum: 0 }),
    est_usd_per_day: orNull(number({ minimum: 0, description: 'Null if a price is unknown.' })),
    assumes: listOf(text(), { description: 'The assumptions of the estimates.' }),
    examples: listOf(uuid),
    not_matched_by: mapOf(count, {
      description:
        'The sampled decisions by the first reason not to match: domain, agent_id, …, ' +
        'sampled_out.'
    })
  }),
  {
    from: '2026-01-24T12:00:00.000Z',
    to: '2026-01-31T12:00:00.000Z',
    decisions: 70_000,
    sampled_decisions: { n: 2000 },
    matched: { share: 0.25, n: 500, interval: [0.2316, 0.2694] },
    matched_7d: 17_500,
    est_runs_per_day: 250,
    est_usd_per_day: 0.14,
    assumes: ['refund_policy: 900 input and 300 output tokens per call'],
    examples: ['01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'],
    not_matched_by: { domain: 1500, sampled_out: 450 }
  }
)
