/** Tests random evaluators: valid ones compile and run, and invalid ones have a violation. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { checkEvaluator } from '../../../evaluators/check-evaluator.ts'
import { compileEvaluator } from '../../../evaluators/compile-evaluator.ts'
import { completeDraft } from '../../../evaluators/complete-draft.ts'
import type { EvaluatorInput } from '../../../evaluators/complete-draft.ts'
import { configHashOf } from '../../../evaluators/config-hash.ts'
import { runEvaluators } from '../../../evaluators/run-evaluators.ts'
import { aSubject } from './a-subject.ts'

describe('compiles and runs every valid evaluator on any decision', () => {
  const names = fc.constantFrom('mine', 'b', 'a-1', 'z', 'X', 'no_repetition')
  const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>
  const target = fc.constantFrom('output', 'input', 'metadata.a', 'metadata.a.b', 'x')
  const patterns = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('(a+)+$', '[a-z]{2,40}', String.raw`\p{L}+`, '(?=a)', 'a|b', '^$')
  )
  const schemas = fc.oneof(
    fc.dictionary(
      fc.constantFrom(
        'type',
        'items',
        'anyOf',
        'minLength',
        'const',
        '$ref',
        'format',
        'enum',
        'x'
      ),
      json,
      { maxKeys: 3 }
    ),
    fc.constantFrom(
      { $ref: '#' },
      { anyOf: [{ $ref: '#' }, { type: 'object' }] },
      { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
      { pattern: '^(a+)+$', uniqueItems: true },
      { format: 'uri', contains: { not: {} }, unevaluatedProperties: false }
    )
  )
  const optional = { requiredKeys: [] as [] }
  const count = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 50 }) },
    { weight: 1, arbitrary: json }
  )
  const configs = fc.oneof(
    fc.record({
      check: fc.constantFrom(
        'not_empty',
        'complete',
        'not_refusal',
        'no_repetition',
        'input_not_repeated'
      )
    }),
    fc.record(
      {
        check: fc.constant('length'),
        min: count,
        max: count,
        unit: fc.constantFrom('words', 'lines')
      },
      { requiredKeys: ['check', 'min'] }
    ),
    fc.record(
      { check: fc.constant('token_budget'), input_max: count, output_max: count, ratio_max: count },
      { requiredKeys: ['check', 'input_max'] }
    ),
    fc.record(
      { check: fc.constant('language'), expected: fc.subarray(['de', 'en', 'ja', 'ru', 'xx']) },
      { requiredKeys: ['check'] }
    ),
    fc.record({
      check: fc.constant('no_personal_data'),
      kinds: fc.subarray(['email', 'card', 'x'])
    }),
    fc.record({ check: fc.constant('no_prompt_leakage'), words_min: count }),
    fc.record({ check: fc.constant('no_session_loop'), times: count }),
    fc.record({ check: fc.constant('json_valid'), when: fc.constantFrom('always', 'asked', 'x') }),
    fc.record(
      {
        pattern: patterns,
        flags: fc.constantFrom('', 'i', 'ms', 'g'),
        target,
        must_match: fc.boolean()
      },
      { requiredKeys: ['pattern'] }
    ),
    fc.record(
      { schema: schemas, target, extract: fc.constantFrom('whole', 'code_fence', 'x') },
      { requiredKeys: ['schema'] }
    ),
    fc.record(
      {
        method: fc.constantFrom('exact', 'numeric', 'levenshtein', 'json_diff', 'x'),
        reference: fc.constantFrom('metadata.a', 'metadata.a.b', 'input'),
        tolerance: count,
        case_sensitive: fc.boolean(),
        threshold: fc.double({ min: -0.5, max: 1.5, noNaN: true })
      },
      { requiredKeys: ['method'] }
    ),
    json
  )
  const drafts = fc.record(
    {
      name: names,
      kind: fc.constantFrom('heuristic', 'regex', 'json_schema', 'similarity', 'nope'),
      config: configs,
      output: fc.record({ name: names, threshold: fc.constantFrom(0.5, 2, null, null) }, optional),
      timeout_ms: fc.constantFrom(1000, 100, null, 5000)
    },
    { requiredKeys: ['name', 'kind', 'config'] }
  )
  /**
   * Sets the kind that fits the configuration, because otherwise too few drafts would be valid.
   */
  const likely = drafts.map((given) => {
    const config = given.config as Record<string, unknown> | null
    if (typeof config !== 'object' || config === null) return given
    const kinds = {
      check: 'heuristic',
      pattern: 'regex',
      schema: 'json_schema',
      method: 'similarity'
    }
    const kind = Object.entries(kinds).find(([name]) => Object.hasOwn(config, name))?.[1]
    return { ...given, kind: kind ?? given.kind }
  })
  const jsonText = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom('""', '"x"', 'null', '[[[]]]')
  )
  const decisions = fc.record({
    output: fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), jsonText),
    input: jsonText,
    metadata: fc.oneof(
      fc.constant(null),
      jsonText.map((value) => `{"a":${value}}`),
      jsonText.map((value) => `{"\\u0061":{"b":${value}}}`)
    ),
    session_id: fc.constantFrom(null, 's'),
    input_tokens: fc.constantFrom(null, 0, 7),
    output_tokens: fc.constantFrom(null, 0, 7)
  })

  test.each([likely, drafts])('%#', (source) => {
    let accepted = 0
    fc.assert(
      fc.property(source, fc.array(decisions, { minLength: 1, maxLength: 4 }), (given, all) => {
        const flaws = checkEvaluator(given)
        if (flaws.length > 0) {
          for (const { pointer, detail } of flaws) {
            expect(pointer).toMatch(/^(\/|$)/)
            expect(detail).not.toBe('')
          }
          return
        }
        accepted += 1
        const draft = completeDraft(given as EvaluatorInput)
        const version = {
          ...draft,
          evaluator_id: 'evl_1',
          version: 1,
          config_hash: configHashOf(draft)
        }
        const evaluator = compileEvaluator(version)
        const outcomes = runEvaluators(all.map((one) => ({ evaluator, subject: aSubject(one) })))
        for (const outcome of outcomes) {
          if (outcome.status === 'failed') expect(outcome.status_reason).toBe('code_timeout')
          if (outcome.status !== 'succeeded') continue
          expect(outcome.finding.data_type).toBe(draft.output.data_type)
          expect(outcome.finding.reason).toMatch(/\.$/)
        }
      }),
      { numRuns: 250 }
    )
    if (source === likely) expect(accepted).toBeGreaterThan(10)
  })
})
