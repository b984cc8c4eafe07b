/** The table of metrics, alive: each is exposed under its name, and counts what it is told. */
import { describe, expect, test } from '@jest/globals'
import { metricTable } from '../../../platform/metric-table.ts'
import type { MetricRow } from '../../../platform/metric-table.ts'
import { createMetrics } from '../../../platform/metrics.ts'

const rows = Object.entries<MetricRow>(metricTable)

async function linesOf(metrics: ReturnType<typeof createMetrics>): Promise<string[]> {
  return (await metrics.expose()).text.split('\n')
}

test('every metric of the table is exposed with its type and help', async () => {
  const lines = await linesOf(createMetrics())
  for (const [name, row] of rows) {
    expect(lines).toContain(`# TYPE ${name} ${row.type}`)
    expect(lines).toContain(`# HELP ${name} ${row.help}`)
  }
})

test('nothing of ours is exposed that is not in the table', async () => {
  const lines = await linesOf(createMetrics())
  const exposed = lines.flatMap((line) => /^# TYPE (sluice_\S+)/.exec(line)?.[1] ?? [])
  const ours = exposed.filter((name) => !name.startsWith('sluice_process_'))
  expect(ours.sort()).toEqual(Object.keys(metricTable).sort())
})

test('the exposition is of the kind that Prometheus scrapes', async () => {
  expect((await createMetrics().expose()).contentType).toMatch(/^text\/plain; version=0\.0\.4/)
})

describe('a metric', () => {
  test('counts, by one unless told otherwise, for each combination of labels', async () => {
    const metrics = createMetrics()
    metrics.count('sluice_ingest_outcomes_total', { outcome: 'queued', reason: '' })
    metrics.count('sluice_ingest_outcomes_total', { outcome: 'queued', reason: '' }, 4)
    metrics.count('sluice_ingest_outcomes_total', { outcome: 'rejected', reason: 'overloaded' })
    const lines = await linesOf(metrics)
    expect(lines).toContain('sluice_ingest_outcomes_total{outcome="queued",reason=""} 5')
    expect(lines).toContain(
      'sluice_ingest_outcomes_total{outcome="rejected",reason="overloaded"} 1'
    )
  })

  test('is set to the last value', async () => {
    const metrics = createMetrics()
    metrics.set('sluice_produce_in_flight_bytes', {}, 100)
    metrics.set('sluice_produce_in_flight_bytes', {}, 7)
    expect(await linesOf(metrics)).toContain('sluice_produce_in_flight_bytes 7')
  })

  test('is observed into its buckets', async () => {
    const metrics = createMetrics()
    metrics.observe('sluice_consumer_batch_seconds', { topic: 'a' }, 0.004)
    metrics.observe('sluice_consumer_batch_seconds', { topic: 'a' }, 60)
    const lines = await linesOf(metrics)
    const bucket = (bound: string) =>
      lines.find((line) => line.includes('batch_seconds_bucket') && line.includes(`"${bound}"`))
    expect(bucket('0.0025')).toMatch(/ 0$/)
    expect(bucket('0.005')).toMatch(/ 1$/)
    expect(bucket('10')).toMatch(/ 1$/)
    expect(bucket('+Inf')).toMatch(/ 2$/)
    expect(lines).toContain('sluice_consumer_batch_seconds_sum{topic="a"} 60.004')
  })

  test('belongs to its process: two sets of metrics do not add up', async () => {
    const [first, second] = [createMetrics(), createMetrics()]
    first.count('sluice_ingest_unknown_members_total', {})
    expect(await linesOf(first)).toContain('sluice_ingest_unknown_members_total 1')
    expect(await linesOf(second)).toContain('sluice_ingest_unknown_members_total 0')
  })
})
