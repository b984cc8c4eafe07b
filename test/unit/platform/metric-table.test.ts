/** The names and rows of metrics keep to the conventions of Prometheus. */
import { expect, test } from '@jest/globals'
import { metricTable } from '../../../platform/metric-table.ts'
import type { MetricRow } from '../../../platform/metric-table.ts'

test.each(Object.entries<MetricRow>(metricTable))('%s', (name, row) => {
  expect(name).toMatch(/^sluice_[a-z]+(_[a-z]+)*$/)
  expect(row.help).toMatch(/^[A-Z0-9].*[.]$/)
  expect(name.endsWith('_total')).toBe(row.type === 'counter')
  expect(/_(seconds|decisions)$/.test(name)).toBe(row.type === 'histogram')
  expect(row.buckets === undefined).toBe(row.type !== 'histogram')
  expect(row.buckets ?? []).toEqual([...(row.buckets ?? [])].sort((a, b) => a - b))
})

test('no label is one of a caller, so that no caller can make endless series', () => {
  const labels = new Set(Object.values<MetricRow>(metricTable).flatMap((row) => row.labels))
  const bounded = ['operation', 'outcome', 'partition', 'reason', 'result', 'status', 'topic']
  expect([...labels].sort()).toEqual(bounded)
})
