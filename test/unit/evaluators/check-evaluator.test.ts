/** Tests that the check reports all violations, each with a pointer and a reason. */
import { describe, expect, test } from '@jest/globals'
import { checkEvaluator } from '../../../evaluators/check-evaluator.ts'
import { completeDraft } from '../../../evaluators/complete-draft.ts'
import type { EvaluatorInput } from '../../../evaluators/complete-draft.ts'
import { configHashOf } from '../../../evaluators/config-hash.ts'

function draft(kind: string, config: object, rest: object = {}): object {
  return { name: 'mine', kind, config, ...rest }
}

describe('reports violations with their pointers', () => {
  const external = (output: object) => draft('external', {}, { output })

  test.each<[string, unknown, [string, RegExp][]]>([
    ['nothing', null, [['', /an object/]]],
    [
      'an empty object',
      {},
      [
        ['/name', /required/],
        ['/kind', /required/],
        ['/config', /required/]
      ]
    ],
    [
      'a name in capitals',
      { ...draft('external', {}), name: 'Mine' },
      [['/name', /begin with a lowercase letter/]]
    ],
    [
      'the name of a built-in one',
      { ...draft('regex', { pattern: 'a' }), name: 'no_repetition' },
      [['/name', /reserved for a built-in evaluator/]]
    ],
    ['an unknown kind', draft('vibes', {}), [['/kind', /one of heuristic, regex/]]],
    [
      'an unknown member',
      draft('regex', { pattern: 'a' }, { colour: 1 }),
      [['/colour', /Allowed: name, kind/]]
    ],
    [
      'an unknown check',
      draft('heuristic', { check: 'nice' }),
      [['/config/check', /one of not_empty, complete/]]
    ],
    [
      'a check named like an inherited member',
      draft('heuristic', { check: 'constructor' }),
      [['/config/check', /one of/]]
    ],
    ['a missing check', draft('heuristic', {}), [['/config/check', /one of/]]],
    [
      'texts that Postgres cannot store, at any depth',
      draft('llm_judge', {
        ...{ connection_id: 'con_1', model: 'a\u0000', prompt: '{{output}}' },
        scale: { type: 'choice', labels: { 'a\u0000': 1, b: 0, '\ud800': 0 } }
      }),
      [
        ['/config/model', /U\+0000/],
        ['/config/scale/labels', /a name that/],
        ['/config/scale/labels', /a name that/]
      ]
    ],
    [
      'a setting of another check',
      draft('heuristic', { check: 'not_empty', min: 1 }),
      [['/config/min', /Allowed: check$/]]
    ],
    [
      'a minimum above the maximum',
      draft('heuristic', { check: 'length', min: 9, max: 3 }),
      [['/config/max', /at least min \(9\)/]]
    ],
    [
      'a length without bounds',
      draft('heuristic', { check: 'length' }),
      [['/config/min', /is required unless max is set/]]
    ],
    [
      'a budget without a limit',
      draft('heuristic', { check: 'token_budget' }),
      [['/config/total_max', /at least one of .*total_max.* is required/]]
    ],
    [
      'an input limit above the total limit',
      draft('heuristic', { check: 'token_budget', input_max: 9, total_max: 5 }),
      [['/config/input_max', /at most total_max \(5\)/]]
    ],
    [
      'an unknown language',
      draft('heuristic', { check: 'language', expected: ['tlh'] }),
      [['/config/expected/0', /one of de, en/]]
    ],
    [
      'an invalid pattern',
      draft('regex', { pattern: '(' }),
      [['/config/pattern', /missing closing/]]
    ],
    ['a lookahead', draft('regex', { pattern: '(?=a)' }), [['/config/pattern', /lookahead/]]],
    [
      'an unknown target',
      draft('regex', { pattern: 'a', target: 'reasoning' }),
      [['/config/target', /output, input, or metadata/]]
    ],
    [
      'a flag twice',
      draft('regex', { pattern: 'a', flags: 'ii' }),
      [['/config/flags', /at most once/]]
    ],
    [
      'a schema with flaws',
      draft('json_schema', { schema: { typ: 1, items: { $ref: 'https://a.example' } } }),
      [
        ['/config/schema/typ', /is not a keyword/],
        ['/config/schema/items/$ref', /other schemas are not fetched/]
      ]
    ],
    [
      'a code block of another target',
      draft('json_schema', { schema: {}, target: 'input', extract: 'code_fence' }),
      [['/config/extract', /only the output/]]
    ],
    [
      'an unknown method',
      draft('similarity', { method: 'cosine' }),
      [['/config/method', /one of exact/]]
    ],
    [
      'settings of another method',
      draft('similarity', { method: 'exact', tolerance: 1, threshold: 1 }),
      [
        ['/config/tolerance', /numeric/],
        ['/config/threshold', /levenshtein, json_diff/]
      ]
    ],
    [
      'a reference outside the metadata',
      draft('similarity', { method: 'exact', reference: 'input' }),
      [['/config/reference', /metadata\./]]
    ],
    [
      'two different thresholds',
      draft(
        'similarity',
        { method: 'levenshtein', threshold: 0.5 },
        { output: { threshold: 0.6 } }
      ),
      [['/output/threshold', /equal the threshold/]]
    ],
    [
      'a threshold out of range',
      draft('similarity', { method: 'json_diff' }, { output: { threshold: 2 } }),
      [['/output/threshold', /at most 1/]]
    ],
    [
      "a score that differs from the kind's",
      draft('regex', { pattern: 'a' }, { output: { data_type: 'numeric', threshold: 1 } }),
      [
        ['/output/data_type', /"boolean"/],
        ['/output/threshold', /omitted/]
      ]
    ],
    [
      'a timeout that is too long',
      draft('regex', { pattern: 'a' }, { timeout_ms: 5000 }),
      [['/timeout_ms', /at most 1000/]]
    ],
    [
      'settings of a kind without settings',
      draft('external', { url: 1 }),
      [['/config/url', /no settings/]]
    ],
    ['a score without a type', external({}), [['/output/data_type', /required/]]],
    [
      'labels without pass',
      external({ data_type: 'categorical', labels: { a: 1, b: 0 } }),
      [['/output/pass', /required.*of a, b/]]
    ],
    [
      'an unknown label that passes',
      external({ data_type: 'categorical', labels: { a: 1, b: 0 }, pass: ['c'] }),
      [['/output/pass/0', /one of a, b/]]
    ],
    [
      'a category without labels',
      external({ data_type: 'categorical' }),
      [['/output/labels', /required/]]
    ],
    [
      'a range with min above max',
      external({ data_type: 'numeric', min: 5, max: 1 }),
      [['/output/max', /greater than min \(5\)/]]
    ],
    [
      'labels of a number',
      external({ data_type: 'numeric', labels: { a: 1, b: 0 } }),
      [['/output/labels', /numeric/]]
    ],
    [
      'a range of a boolean',
      external({ data_type: 'boolean', min: 0 }),
      [['/output/min', /boolean/]]
    ],
    [
      'a threshold without a direction',
      external({ data_type: 'numeric', threshold: 1, direction: 'none' }),
      [['/output/threshold', /direction is none/]]
    ]
  ])('%s', (_, given, expected) => {
    expect(checkEvaluator(given)).toEqual(
      expected.map(([pointer, detail]) => ({ pointer, detail: expect.stringMatching(detail) }))
    )
  })

  test('reports all violations together', () => {
    const config = { pattern: '(' }
    const output = { name: 'not_refusal', direction: 'lower', threshold: 1 }
    const given = { name: 'json_valid', kind: 'regex', config, output, timeout_ms: 60_000 }
    expect(checkEvaluator(given).map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/output/name',
      '/config/pattern',
      '/output/direction',
      '/output/threshold',
      '/timeout_ms'
    ])
  })
})

test('fills in defaults', () => {
  const given: EvaluatorInput = {
    name: 'near',
    kind: 'similarity',
    config: { method: 'levenshtein' }
  }
  expect(completeDraft(given)).toEqual({
    ...given,
    description: null,
    timeout_ms: 100,
    output: {
      name: 'near',
      data_type: 'numeric',
      min: 0,
      max: 1,
      labels: null,
      pass: null,
      threshold: 0.8,
      direction: 'higher'
    }
  })
})

test('hashes the relevant members, regardless of their order', () => {
  const one = completeDraft({ name: 'a', kind: 'regex', config: { pattern: 'a', flags: 'i' } })
  const same = { ...one, description: 'x', config: { flags: 'i', pattern: 'a' } }
  expect(configHashOf(one)).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(configHashOf(same)).toBe(configHashOf(one))
  expect(configHashOf({ ...one, config: { pattern: 'a' } })).not.toBe(configHashOf(one))
  expect(configHashOf({ ...one, timeout_ms: 99 })).not.toBe(configHashOf(one))
})
