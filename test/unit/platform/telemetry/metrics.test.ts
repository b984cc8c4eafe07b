/** Tests that each metric of the table is exposed under its name, with its values. */
import { describe, expect, test } from '@jest/globals'
import { metricTable } from '../../../../platform/telemetry/metric-table.ts'
import type { MetricRow } from '../../../../platform/telemetry/metric-table.ts'
import {
  createMetrics,
  exposeSnapshots,
  totalsOfEnded
} from '../../../../platform/telemetry/metrics.ts'
import type { MetricsSnapshot } from '../../../../platform/telemetry/metrics.ts'

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

test('exposes only metrics of the table', async () => {
  const lines = await linesOf(createMetrics())
  const exposed = lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? [])
  expect(exposed.sort()).toEqual(Object.keys(metricTable).sort())
})

test('has the content type that Prometheus scrapes', async () => {
  expect((await createMetrics().expose()).contentType).toMatch(/^text\/plain; version=0\.0\.4/)
})

describe('a metric', () => {
  test('counts by one by default, for each combination of labels', async () => {
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

  test('is observed through a bound function any number of times', async () => {
    const metrics = createMetrics()
    const observe = metrics.histogram('sluice_consumer_batch_seconds', { topic: 'a' })
    for (let times = 0; times < 1500; times++) observe(0.004)
    const first = await linesOf(metrics)
    expect(first).toContain('sluice_consumer_batch_seconds_count{topic="a"} 1500')
    observe(60)
    const lines = await linesOf(metrics)
    expect(lines).toContain('sluice_consumer_batch_seconds_bucket{le="0.005",topic="a"} 1500')
    expect(lines).toContain('sluice_consumer_batch_seconds_count{topic="a"} 1501')
  })

  test('belongs to its process: two sets of metrics do not add up', async () => {
    const [first, second] = [createMetrics(), createMetrics()]
    first.count('sluice_ingest_unknown_members_total', {})
    expect(await linesOf(first)).toContain('sluice_ingest_unknown_members_total 1')
    expect(await linesOf(second)).toContain('sluice_ingest_unknown_members_total 0')
  })

  test('counts through a bound function, and is exposed from then on', async () => {
    const metrics = createMetrics()
    const labels = { outcome: 'queued', reason: '' }
    const increment = metrics.counter('sluice_ingest_outcomes_total', labels)
    const series = 'sluice_ingest_outcomes_total{outcome="queued",reason=""}'
    expect(await linesOf(metrics)).toContain(`${series} 0`)
    increment()
    increment(3)
    expect(await linesOf(metrics)).toContain(`${series} 4`)
    metrics.count('sluice_ingest_outcomes_total', labels)
    increment()
    expect(await linesOf(metrics)).toContain(`${series} 6`)
  })

  test('is collected at each exposition, and not before', async () => {
    const metrics = createMetrics()
    let looks = 0
    metrics.onCollect(() => metrics.set('sluice_workers', {}, (looks += 1)))
    expect(looks).toBe(0)
    expect(await linesOf(metrics)).toContain('sluice_workers 1')
    await metrics.snapshot()
    expect(looks).toBe(2)
  })

  test('fails the exposition if it cannot be collected', async () => {
    const metrics = createMetrics()
    metrics.onCollect(() => {
      throw new Error('not available')
    })
    await expect(metrics.expose()).rejects.toThrow('not available')
    await expect(metrics.snapshot()).rejects.toThrow('not available')
  })
})

describe('the metrics of several processes', () => {
  /** Returns a snapshot in the form in which another process receives it. */
  async function snapshotOf(fill: (metrics: ReturnType<typeof createMetrics>) => void) {
    const metrics = createMetrics()
    fill(metrics)
    return JSON.parse(JSON.stringify(await metrics.snapshot())) as MetricsSnapshot
  }

  async function together(snapshots: MetricsSnapshot[]): Promise<string[]> {
    return (await exposeSnapshots(snapshots)).text.split('\n')
  }

  test('are exposed like those of one', async () => {
    const alone = createMetrics()
    const { contentType } = await alone.expose()
    const exposed = await exposeSnapshots([await alone.snapshot()])
    expect(exposed.contentType).toBe(contentType)
    expect(exposed.text.split('\n').toSorted()).toEqual((await linesOf(alone)).toSorted())
  })

  test('are summed if they are counters', async () => {
    const first = await snapshotOf((metrics) => {
      metrics.count('sluice_api_key_lookups_total', { result: 'hit' }, 2)
      metrics.count('sluice_api_key_lookups_total', { result: 'miss' })
      metrics.observe('sluice_produce_seconds', {}, 0.004)
    })
    const second = await snapshotOf((metrics) => {
      metrics.count('sluice_api_key_lookups_total', { result: 'hit' }, 40)
      metrics.observe('sluice_produce_seconds', {}, 0.3)
    })
    const lines = await together([first, second])
    expect(lines).toContain('sluice_api_key_lookups_total{result="hit"} 42')
    expect(lines).toContain('sluice_api_key_lookups_total{result="miss"} 1')
    expect(lines).toContain('sluice_produce_seconds_bucket{le="0.005"} 1')
    expect(lines).toContain('sluice_produce_seconds_bucket{le="+Inf"} 2')
    expect(lines).toContain('sluice_produce_seconds_count 2')
  })

  test('are combined as their row says if they are gauges', async () => {
    const levels = [3, 8].map((value) =>
      snapshotOf((metrics) => {
        metrics.set('sluice_produce_in_flight_bytes', {}, value)
        metrics.set('sluice_event_loop_lag_seconds', { quantile: '0.99' }, value)
        metrics.set('sluice_process_start_time_seconds', {}, value)
      })
    )
    const lines = await together(await Promise.all(levels))
    expect(lines).toContain('sluice_produce_in_flight_bytes 11')
    expect(lines).toContain('sluice_event_loop_lag_seconds{quantile="0.99"} 8')
    expect(lines).toContain('sluice_process_start_time_seconds 3')
  })

  test('keep the counts of ended processes, but not their gauges', async () => {
    const ended = await snapshotOf((metrics) => {
      metrics.count('sluice_consumed_total', { topic: 'a', outcome: 'done', reason: '' }, 5)
      metrics.observe('sluice_produce_seconds', {}, 0.004)
      metrics.set('sluice_produce_in_flight_bytes', {}, 100)
    })
    const remains = totalsOfEnded([totalsOfEnded([ended]), ended])
    const lines = await together([remains, ended])
    expect(lines).toContain('sluice_consumed_total{topic="a",outcome="done",reason=""} 15')
    expect(lines).toContain('sluice_produce_seconds_count 3')
    expect(lines).toContain('sluice_produce_in_flight_bytes 100')
  })
})
