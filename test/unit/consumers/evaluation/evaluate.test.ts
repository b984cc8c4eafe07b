/** Tests evaluateAll: one run per planned evaluator, the same result when repeated, and no thrown
 * errors.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createEvaluateAll } from '../../../../consumers/evaluation/evaluate.ts'
import { builtInEvaluators, defaultRuleSet } from '../../../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../../../evaluators/evaluator-cache.ts'
import { verdict } from '../../../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../../../evaluators/evaluator.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { evaluationObjection } from '../../../../core/decision/storable.ts'
import type { Evaluation } from '../../../../core/evaluation/evaluation.ts'
import { plannedRunsOf } from '../../../../evaluators/planning/plan-rules.ts'
import { aDecision, noon } from '../../../support/builders.ts'
import { reasonIn } from '../../../support/reason-in.ts'
import { aRule, aVersion } from '../../evaluators/planning/a-rule.ts'

const clock = { now: () => noon + 5 }
const compile = createEvaluatorCache({ sessions: null })
const evaluateAll = createEvaluateAll({ clock, compile, onFailure: () => {} })

function evaluate(decision: Decision): Evaluation {
  const runs = plannedRunsOf(defaultRuleSet, ['planned'])
  const [evaluation] = evaluateAll([{ decision, plan: null, runs }])
  if (evaluation === undefined) throw new Error('the decision was not evaluated')
  return evaluation
}

const leaking = aDecision({
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  organization_id: '01938c4e-0000-7000-8000-000000000001',
  input: '{"response_format":{"type":"json_object"},"prompt":"Where is my parcel?"}',
  output: "I'm sorry, but I can't help with that. The card is 4111 1111 1111 1111, and"
})

function passesOf({ runs }: Evaluation): Record<string, boolean | null | string> {
  return Object.fromEntries(
    runs.map(({ kind, passed, status_reason }) => [kind.evaluator, passed ?? status_reason ?? ''])
  )
}

test('carries the identity of the decision', () => {
  const { decision_id, organization_id, agent_id, session_id, domain, received_at } = leaking
  expect(evaluate(leaking)).toMatchObject({
    ...{ decision_id, organization_id, agent_id, session_id, domain, received_at },
    evaluated_at: noon + 5
  })
})

test('runs every evaluator on a bad answer', () => {
  expect(passesOf(evaluate(leaking))).toEqual({
    output_not_empty: true,
    output_complete: false,
    not_refusal: false,
    json_valid: false,
    no_personal_data: false,
    input_not_repeated: 'not_applicable',
    no_repetition: true,
    no_session_loop: 'not_applicable'
  })
})

test('skips a run that does not apply, without a score', () => {
  const skipped = evaluate(leaking).runs.find(({ kind }) => kind.evaluator === 'input_not_repeated')
  expect(skipped).toMatchObject({ status: 'skipped', status_reason: 'not_applicable' })
  expect(skipped).toMatchObject({ value: null, reason: null, kind: { name: null } })
})

test('runs of one rule and evaluator version share one kind', () => {
  const [first, other] = [evaluate(leaking), evaluate({ ...leaking, decision_id: randomUUID() })]
  expect(first.runs.every(({ kind }, at) => kind === other.runs[at]?.kind)).toBe(true)
  expect(new Set(first.runs.map(({ kind }) => kind)).size).toBe(first.runs.length)
})

function named(name: string, run: CompiledEvaluator['evaluate']): CompiledEvaluator {
  const version = aVersion({ name, evaluator_id: name, version: 3 })
  return { version, isBounded: true, evaluate: run }
}

test('fails only the run of an evaluator that throws, and reports it', () => {
  const compiled = [
    named('first', () => verdict(true, 'Fine.')),
    named('broken', () => {
      throw new TypeError('quotes the decision')
    }),
    named('last', () => verdict(false, 'Not fine.'))
  ]
  const failures: unknown[] = []
  const evaluateMine = createEvaluateAll({
    clock,
    compile: ({ name }) => compiled.find(({ version }) => version.name === name) ?? compiled[0]!,
    onFailure: ({ name }, error) => failures.push([name, error.message])
  })
  const rule = aRule({ name: 'mine', evaluators: compiled.map(({ version }) => version) })
  const runs = plannedRunsOf({ version: 1, rules: [rule] }, ['planned'])
  const [evaluation] = evaluateMine([{ decision: leaking, plan: null, runs }])
  expect(evaluation?.runs).toMatchObject([
    { kind: { evaluator: 'first', rule: 'mine' }, status: 'succeeded', status_reason: null },
    { kind: { evaluator: 'broken', name: null }, status: 'failed', status_reason: 'code_error' },
    { kind: { evaluator: 'last', evaluator_version: 3 }, status: 'succeeded', passed: false }
  ])
  expect(evaluation?.runs[1]?.error).toBe('the evaluator has a bug: TypeError')
  expect(failures).toEqual([['broken', 'quotes the decision']])
})

test('returns no evaluation for a decision without runs', () => {
  const runs = plannedRunsOf(defaultRuleSet, ['planned'])
  const evaluations = evaluateAll([
    { decision: aDecision(), plan: null, runs: [] },
    { decision: leaking, plan: null, runs }
  ])
  expect(evaluations.map(({ decision_id }) => decision_id)).toEqual([leaking.decision_id])
})

/** Generates input that could make evaluators fail. */
const hostile = fc.constantFrom(
  ...['\u0000', '\ud800', '\udc00', '👩‍👩‍👧', '\u202e', '```', '{', '[', '"', '\\', '+1', '@', '\n'],
  ...['sk-', 'eyJ', 'DE89', '4111 1111', "i can't help", 'json', '…', ' and', '是', '0'.repeat(40)]
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(hostile, { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.tuple(hostile, fc.integer({ min: 0, max: 5000 })).map(([piece, times]) => piece.repeat(times))
)
const number = fc.constantFrom('1e400', '-1e-400', '12345678901234567890', '0.1', '-0')
const inputText = fc.oneof(
  fc.json(),
  text.map((content) => JSON.stringify({ messages: [{ role: 'user', content }] })),
  text.map((prompt) => JSON.stringify(prompt)),
  number.map((digits) => `{"n":${digits},"max_tokens":${digits},"__proto__":{"a":1}}`),
  fc.constantFrom('null', '[]', '{"messages":[null,1,{"role":"user"}]}', '{"messages":{}}'),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth))
)
const decisions: fc.Arbitrary<Decision> = fc
  .record({
    input: inputText,
    output: text,
    domain: fc.option(text),
    metadata: fc.option(fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value))),
    output_tokens: fc.option(fc.maxSafeNat())
  })
  .map((fields) => aDecision(fields))

function withoutTimes({ runs }: Evaluation): unknown {
  return runs.map((run) => ({ ...run, duration_us: null }))
}

test('returns one run with a reason per planned evaluator, reproducibly, for any decision', () => {
  fc.assert(
    fc.property(decisions, (decision) => {
      const evaluation = evaluate(decision)
      const planned = builtInEvaluators.map(({ name }) => name)
      expect(evaluation.runs.map(({ kind }) => kind.evaluator)).toEqual(planned)
      expect(evaluationObjection({ ...evaluation, domain: null })).toBeNull()
      for (const run of evaluation.runs) {
        const { kind, status, value } = run
        expect(status).not.toBe('failed')
        expect(kind.name === null).toBe(status === 'skipped')
        if (status === 'skipped') continue
        expect(reasonIn(run)).toMatch(/^[\d A-Z].{5,250}\.$/)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(1)
      }
      expect(withoutTimes(evaluate(decision))).toEqual(withoutTimes(evaluation))
    }),
    { numRuns: 300 }
  )
})

const largest = 4 * 1024 * 1024
const hostilePieces: string[] = [
  ...[
    'a',
    ' ',
    '\n',
    '\u200b',
    '1',
    '+1',
    '+1 2 ',
    '(',
    '1-',
    '4111 ',
    'a@',
    'a.b@c',
    '@',
    '://a:'
  ],
  ...['```\n', '> ', '{"a":', '["', '\\', 'DE89 ', 'DE893704', 'sk-', 'eyJ.', 'tel 0', '0 0/', 'é'],
  ...[
    'i can not ',
    'respond with a json ',
    'no no ',
    'ich kann ',
    '我',
    '{{',
    '-----BEGIN ',
    'xoxb-a'
  ]
]

test.each(hostilePieces)('evaluates 4 MiB of %j without an error', (piece) => {
  const output = piece.repeat(largest / piece.length)
  const input = JSON.stringify({ format: 'json', prompt: piece.repeat(30_000) })
  const { runs } = evaluate(aDecision({ input, output, domain: piece, output_tokens: 4096 }))
  expect(runs.map(({ status }) => status)).not.toContain('failed')
})
