/** Tests the computation of metrics from sums. */
import { describe, expect, test } from '@jest/globals'
import { isMetric, isSource, measureOf } from '../../../../api/stats/metrics.ts'
import { sourceOf } from '../../../../api/stats/metrics.ts'
import type { SumGroupName } from '../../../../api/stats/sum-sources.ts'

test.each([
  ['count', { decisions: 3 }, 3, 3],
  ['count', {}, 0, 0],
  ['input_tokens', { input_tokens: 90, input_tokens_known: 2 }, 90, 2],
  ['input_tokens', { input_tokens: 0, input_tokens_known: 0 }, null, 0],
  ['error_rate', { errors: 1, errors_known: 4 }, 0.25, 4],
  ['latency_ms', { latency_ms: 300, latency_known: 2 }, 150, 2],
  ['latency_ms', {}, null, 0],
  ['cost', { usd: 0, priced: 0 }, null, 0],
  ['cost', { usd: 0, priced: 3 }, 0, 3],
  ['pass_rate', { passed: 0, judged: 2 }, 0, 2],
  ['score:tone', { valued: 2, value_sum: 1, value_squares: 1 }, 0.5, 2],
  ['score:tone', { valued: 0 }, null, 0]
])('%s of %j', (metric, sums, value, n) => {
  expect(measureOf(metric, sums)).toMatchObject({ value, n })
})

test('computes the interval of a mean from squares, and none for a single value', () => {
  const { ci } = measureOf('score:tone', { valued: 4, value_sum: 2, value_squares: 2 })
  expect(ci?.map((end) => end.toFixed(3))).toEqual(['-0.066', '1.066'])
  expect(measureOf('score:tone', { valued: 1, value_sum: 1, value_squares: 1 }).ci).toBeNull()
})

test('omits the interval of values whose squares exceed the number range', () => {
  const huge = { valued: 2, value_sum: 1e308, value_squares: 1e308 }
  expect(measureOf('score:tone', huge)).toEqual({ value: 5e307, n: 2, ci: null })
})

describe('the table of a metric', () => {
  test.each<[string, SumGroupName[], boolean, string]>([
    ['count', [], false, 'decision_hours'],
    ['count', ['agent_id', 'domain'], true, 'decision_hours'],
    ['count', ['model'], false, "facet = 'model'"],
    ['count', ['sdk_version', 'agent_id'], false, "facet = 'sdk_version'"],
    ['count', ['status', 'verdict'], true, 'outcome_hours'],
    ['pass_rate', ['domain'], true, 'outcome_hours'],
    ['cost', ['model', 'agent_id'], false, 'prices'],
    ['score:a,b', ['domain'], true, 'score_hours']
  ])('%s by %j', (metric, groups, byDomain, rows) => {
    const source = sourceOf(metric, groups, byDomain)
    expect(isSource(source) && source.rows).toContain(rows)
  })

  test.each<[string, SumGroupName[], boolean, string]>([
    ['count', ['model', 'domain'], false, '/group_by'],
    ['count', ['model', 'agent_version'], false, '/group_by'],
    ['error_rate', ['status'], false, '/group_by'],
    ['cost', ['domain'], false, '/group_by'],
    ['cost', [], true, '/domain'],
    ['count', ['model'], true, '/domain']
  ])('rejects %s by %j', (metric, groups, byDomain, pointer) => {
    expect(sourceOf(metric, groups, byDomain)).toMatchObject({ pointer })
  })
})

test.each([
  ['count', true],
  ['score:x', true],
  ['score:', false],
  ['constructor', false],
  ['', false]
])('%s is a metric: %s', (name, isOne) => {
  expect(isMetric(name)).toBe(isOne)
})
