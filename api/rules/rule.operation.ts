/** What a caller needs to know of `/v1/evaluation/rules`. */
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import { pageExample, pageOf, pageQuerySchema } from '../configuration/list-page.ts'
import { deletedSchema, deleteProblems } from '../configuration/operation-parts.ts'
import { idParams, readProblems, writeProblems } from '../configuration/operation-parts.ts'
import type { Operation } from '../../http/route.ts'
import { objectOf } from '../response-schemas.ts'
import { rulesMax } from './rule-rows.ts'
import { ruleBodyOf, ruleBodyExample, ruleSchema } from './rule-schema.ts'

export const ruleExample = {
  rule_id: 'rul_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  name: 'refunds',
  built_in: false,
  enabled: true,
  match: { domains: ['refunds*'], metadata: { tier: ['gold'] } },
  sampling: { rate: 0.1, key: 'decision', cohort: 'default' },
  evaluators: [{ evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55', version: 'latest' }],
  budget: { usd_per_day: 5, calls_per_day: null, on_exhausted: 'skip' },
  ttl_seconds: 86_400,
  max_attempts: 8,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z'
}

const tag = 'rules'
const params = idParams(
  'rule_id',
  `${prefixedIdPattern('rul')}|^default$`,
  'As POST /v1/evaluation/rules answered it, or `default`.'
)
const shown = (description: string) => ({ description, schema: ruleSchema, example: ruleExample })

export const listRulesOperation: Operation = {
  ...{ operation_id: 'listRules', tag, summary: 'List rules' },
  description: 'The built-in one, then the oldest first: the order in which plans name them.',
  query: pageQuerySchema,
  response: {
    200: { description: 'A page.', schema: pageOf(ruleSchema), example: pageExample(ruleExample) }
  },
  problems: [...readProblems, 'invalid_query']
}

export const createRuleOperation: Operation = {
  ...{ operation_id: 'createRule', tag, summary: 'Make a rule' },
  description:
    'It holds for decisions that are planned from then on, within seconds. An organization has ' +
    `at most ${rulesMax}, beside the built-in one.`,
  body: ruleBodyOf(['name', 'evaluators'], ruleBodyExample),
  response: { 201: shown('The rule.') },
  problems: [...writeProblems, 'name_taken', 'limit_reached', 'changes_limited']
}

export const showRuleOperation: Operation = {
  ...{ operation_id: 'showRule', tag, summary: 'Read a rule' },
  description: 'With everything that was filled in.',
  params,
  response: { 200: shown('The rule.') },
  problems: [...readProblems, 'rule_not_found']
}

export const changeRuleOperation: Operation = {
  ...{ operation_id: 'changeRule', tag, summary: 'Change a rule' },
  description:
    'What is left out stays; a member that is sent replaces the old one whole. Switching a rule ' +
    'off cancels its runs that have not ended. Of the rule `default` only `enabled` can change.',
  params,
  body: ruleBodyOf([], { enabled: false }),
  response: { 200: shown('The rule as it is now.') },
  problems: [
    ...writeProblems,
    ...(['rule_not_found', 'name_taken', 'built_in', 'limit_reached', 'changes_limited'] as const)
  ]
}

export const deleteRuleOperation: Operation = {
  ...{ operation_id: 'deleteRule', tag, summary: 'Delete a rule' },
  description: 'Cancels its runs that have not ended. Scores and plans that name it stay.',
  params,
  response: {
    200: {
      description: 'It is deleted.',
      schema: deletedSchema('rule_id'),
      example: { rule_id: ruleExample.rule_id, deleted: true }
    }
  },
  problems: [...deleteProblems, 'rule_not_found', 'built_in']
}

const share = { type: 'number', minimum: 0, maximum: 1 } as const
const count = { type: 'integer', minimum: 0 } as const
const estimate = { type: ['number', 'null'], minimum: 0 } as const

export const previewRuleOperation: Operation = {
  ...{ operation_id: 'previewRule', tag, summary: 'See what a rule would do' },
  description:
    'Takes a rule that is not saved through the decisions of the last 7 days: how many of them ' +
    'it would have matched, and what its runs would cost. The number of decisions is exact, and ' +
    'the share that matched is that of a recent sample of them.',
  body: ruleBodyOf(['evaluators'], { ...ruleBodyExample, name: 'preview' }),
  response: {
    200: {
      description: 'What it would have done. Nothing is stored.',
      schema: objectOf({
        from: { type: 'string', format: 'date-time' },
        to: { type: 'string', format: 'date-time' },
        decisions: { ...count, description: 'Stored in these days.' },
        sampled_decisions: objectOf({ n: count }),
        matched: objectOf({
          share: { type: ['number', 'null'], minimum: 0, maximum: 1 },
          n: count,
          interval: {
            type: ['array', 'null'],
            items: share,
            description: 'In which the share lies with a probability of 95 %.'
          }
        }),
        matched_7d: { ...count, description: 'Before sampling; an estimate.' },
        est_runs_per_day: { type: 'number', minimum: 0 },
        est_usd_per_day: { ...estimate, description: 'Null when a price is not known.' },
        assumes: {
          type: 'array',
          items: { type: 'string' },
          description: 'What the estimates rest on.'
        },
        examples: { type: 'array', items: { type: 'string', format: 'uuid' } },
        not_matched_by: {
          type: 'object',
          additionalProperties: count,
          description: 'Of the sample, by the first reason: domain, agent_id, …, sampled_out.'
        }
      }),
      example: {
        from: '2026-01-24T12:00:00.000Z',
        to: '2026-01-31T12:00:00.000Z',
        decisions: 70_000,
        sampled_decisions: { n: 2000 },
        matched: { share: 0.25, n: 500, interval: [0.2316, 0.2694] },
        matched_7d: 17_500,
        est_runs_per_day: 250,
        est_usd_per_day: 0.14,
        assumes: ['refund_policy: 900 tokens in and 300 out for each call'],
        examples: ['01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'],
        not_matched_by: { domain: 1500, sampled_out: 450 }
      }
    }
  },
  problems: [...writeProblems, 'compute_limited']
}
