/** Tests that each job has one result and that slow evaluators do not delay others. */
import { describe, expect, test } from '@jest/globals'
import { compileEvaluator } from '../../../evaluators/compile-evaluator.ts'
import { EvaluatorFailure, verdict } from '../../../evaluators/evaluator.ts'
import type { CompiledEvaluator, Evaluate } from '../../../evaluators/evaluator.ts'
import { runEvaluators } from '../../../evaluators/run-evaluators.ts'
import { CpuLimitError } from '../../../platform/validation/cpu-limit.ts'
import { aSubject } from './a-subject.ts'
import { aVersion } from './a-version.ts'

const timeout_ms = 20

function doing(evaluate: Evaluate, isBounded = false): CompiledEvaluator {
  return { version: aVersion('regex', { pattern: 'a' }, { timeout_ms }), isBounded, evaluate }
}

function spin(): never {
  for (let turn = 0; ; turn = (turn + 1) % 1000);
}

const good = doing(({ output }) => verdict(output === 'good', 'It was looked at.'))
const sound = doing(() => verdict(true, 'Sound.'), true)
const hanging = doing(({ output }) => (output === 'bad' ? spin() : verdict(true, 'Fine.')))

test('returns results in order, for bounded and unbounded evaluators', () => {
  const outcomes = runEvaluators([
    { evaluator: good, subject: aSubject({ output: 'good' }) },
    { evaluator: sound, subject: aSubject() },
    { evaluator: good, subject: aSubject({ output: 'other' }) },
    {
      evaluator: doing(() => ({ kind: 'skipped', status_reason: 'content_missing' })),
      subject: aSubject()
    }
  ])
  expect(outcomes).toEqual([
    {
      status: 'succeeded',
      finding: verdict(true, 'It was looked at.'),
      duration_us: expect.any(Number)
    },
    { status: 'succeeded', finding: verdict(true, 'Sound.'), duration_us: expect.any(Number) },
    {
      status: 'succeeded',
      finding: verdict(false, 'It was looked at.'),
      duration_us: expect.any(Number)
    },
    { status: 'skipped', status_reason: 'content_missing', duration_us: expect.any(Number) }
  ])
})

test('returns an empty list without jobs', () => {
  expect(runEvaluators([])).toEqual([])
})

describe.each([true, false])('an evaluator that throws (bounded: %s)', (isBounded) => {
  test('fails only its own runs', () => {
    const bug = new TypeError('bug')
    const range = new EvaluatorFailure('out_of_range', 'too much')
    const throwing = (error: Error) =>
      doing(() => {
        throw error
      }, isBounded)
    const jobs = [throwing(bug), throwing(range), good].map((evaluator) => {
      return { evaluator, subject: aSubject({ output: 'good' }) }
    })
    expect(runEvaluators(jobs)).toMatchObject([
      { status: 'failed', status_reason: 'code_error', error: bug },
      { status: 'failed', status_reason: 'out_of_range', error: range },
      { status: 'succeeded' }
    ])
  })
})

describe('a slow evaluator', () => {
  function run(outputs: readonly string[]) {
    return runEvaluators(
      outputs.flatMap((output) => {
        const subject = aSubject({ output })
        return [hanging, good].map((evaluator) => ({ evaluator, subject }))
      })
    ).map((outcome) => (outcome.status === 'succeeded' ? 'ok' : outcome.status_reason))
  }

  test('times out without affecting the next decision', () => {
    expect(run(['good', 'bad', 'good'])).toEqual(['ok', 'ok', 'code_timeout', 'ok', 'ok', 'ok'])
  })

  test('does not run again in the batch after three consecutive timeouts', () => {
    const outputs = ['bad', 'bad', 'bad', 'good', 'bad', 'good']
    const [ok, late] = ['ok', 'code_timeout']
    expect(run(outputs)).toEqual([late, ok, late, ok, late, ok, late, ok, late, ok, late, ok])
    expect(run(['good'])).toEqual([ok, ok])
  })

  test('resets the count after a run within the time limit', () => {
    expect(run(['bad', 'bad', 'good', 'bad', 'bad', 'good'])).toEqual([
      ...['code_timeout', 'ok', 'code_timeout', 'ok', 'ok', 'ok'],
      ...['code_timeout', 'ok', 'code_timeout', 'ok', 'ok', 'ok']
    ])
  })
})

test('completes a batch that exceeds the batch limit', () => {
  let calls = 0
  /** Limit that interrupts the first three batches. */
  const impatient = <T>(work: () => T, limitMs: number): T => {
    if (limitMs !== timeout_ms && calls++ < 3)
      throw new CpuLimitError('over', { computedMs: limitMs })
    return work()
  }
  const jobs = Array.from({ length: 10 }, () => ({
    evaluator: good,
    subject: aSubject({ output: 'good' })
  }))
  const outcomes = runEvaluators(jobs, impatient)
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from(jobs, () => 'succeeded'))
})

test.each([
  ['on a busy machine is retried', 1, 'succeeded', 2],
  ['because it computes too long is not retried', timeout_ms, 'failed', 1],
  ['on a machine that stays busy fails after four attempts', 0, 'failed', 4]
])('a run that times out %s', (_, computedMs, status, tries) => {
  let tried = 0
  const late = <T>(work: () => T, limitMs: number): T => {
    if (limitMs !== timeout_ms) throw new CpuLimitError('the batch is over', { computedMs: 100 })
    tried += 1
    const isOver = computedMs === 1 ? tried < 2 : true
    if (isOver) throw new CpuLimitError('late', { computedMs })
    return work()
  }
  const subject = aSubject({ output: 'good' })
  expect(runEvaluators([{ evaluator: good, subject }], late)).toMatchObject([{ status }])
  expect(tried).toBe(tries)
})

describe('stops hostile evaluators with code_timeout', () => {
  const steps = 60
  const refs = (to: number) => [{ $ref: `#/$defs/s${to}` }, { $ref: `#/$defs/s${to}` }]
  const $defs: Record<string, object> = { [`s${steps}`]: { type: 'string' } }
  for (let at = 0; at < steps; at++) $defs[`s${at}`] = { anyOf: refs(at + 1) }

  const list = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => [at]))
  test.each<[string, 'json_schema' | 'regex', object, string?]>([
    ['items compared pairwise', 'json_schema', { schema: { uniqueItems: true } }, list],
    ['references that double', 'json_schema', { schema: { $ref: '#/$defs/s0', $defs } }],
    ['a recursive schema', 'json_schema', { schema: { allOf: [{ $ref: '#' }] } }]
  ])('%s', (_, kind, config, output = '[1]') => {
    const evaluator = compileEvaluator(aVersion(kind, { ...config }, { timeout_ms }))
    const subject = aSubject({ output })
    const outcomes = runEvaluators([evaluator, good].map((each) => ({ evaluator: each, subject })))
    expect(outcomes).toMatchObject([
      { status: 'failed', status_reason: 'code_timeout' },
      { status: 'succeeded' }
    ])
  })

  test.each(['^(a+)+$', '(.*)*x', '(x+x+)+y', String.raw`^(\w+\s?)*$`])(
    'and a pattern that others choke on does not even: %s',
    (pattern) => {
      const version = aVersion('regex', { pattern }, { timeout_ms: 1000 })
      const subject = aSubject({ output: `${'a'.repeat(10_000)}!` })
      const [outcome] = runEvaluators([{ evaluator: compileEvaluator(version), subject }])
      expect(outcome).toMatchObject({ status: 'succeeded', finding: { passed: false } })
    }
  )
})
