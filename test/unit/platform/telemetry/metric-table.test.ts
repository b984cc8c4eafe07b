/** Tests that the metric table follows the Prometheus naming conventions. */
import { expect, test } from '@jest/globals'
import { metricTable } from '../../../../platform/telemetry/metric-table.ts'
import type { MetricRow } from '../../../../platform/telemetry/metric-table.ts'

const suffixes = { seconds: /_seconds(_total)?$/, bytes: /_bytes(_total)?$/ } as const

test.each(Object.entries<MetricRow>(metricTable))('%s', (name, row) => {
  expect(name).toMatch(/^sluice_[a-z]+(_[a-z]+)*$/)
  expect(row.help).toMatch(/^[A-Z0-9].*[.]$/)
  expect(name.endsWith('_total')).toBe(row.type === 'counter')
  for (const [unit, suffix] of Object.entries(suffixes)) {
    expect([unit, suffix.test(name)]).toEqual([unit, row.unit === unit])
  }
  const buckets = row.type === 'histogram' ? row.buckets : []
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
})

test('no label has values chosen by callers, so that series are bounded', () => {
  const labels = new Set(Object.values<MetricRow>(metricTable).flatMap((row) => row.labels))
  const ofCalls = 'event operation outcome partition reason result stage status topic'.split(' ')
  const ofProcesses = ['kind', 'node', 'quantile', 'version']
  expect([...labels].toSorted()).toEqual([...ofCalls, ...ofProcesses].toSorted())
})
