/** Tests that the metrics of a process are exposed with correct values. */
import { expect, test } from '@jest/globals'
import { createMetrics } from '../../../../platform/telemetry/metrics.ts'
import { processMetricRows } from '../../../../platform/telemetry/process-metric-rows.ts'
import { measureProcess } from '../../../../platform/telemetry/process-metrics.ts'

/** Metrics that only the primary process sets. */
const ofPrimary = ['sluice_workers', 'sluice_worker_restarts_total']

async function valueOf(metrics: ReturnType<typeof createMetrics>, series: string): Promise<number> {
  const { text } = await metrics.expose()
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1))
}

test('every process metric has a value after measuring has begun', async () => {
  const metrics = createMetrics()
  measureProcess(metrics, () => true)
  const lines = (await metrics.expose()).text.split('\n')
  // This metric has no value until the first garbage collection.
  const others = [...ofPrimary, 'sluice_process_gc_seconds']
  for (const name of Object.keys(processMetricRows).filter((each) => !others.includes(each))) {
    const isOfIt = (line: string): boolean =>
      line.startsWith(`${name} `) || line.startsWith(`${name}{`)
    expect([name, lines.some(isOfIt)]).toEqual([name, true])
  }
})

test('readiness is checked at each exposition', async () => {
  const metrics = createMetrics()
  let isReady = false
  measureProcess(metrics, () => isReady)
  expect(await valueOf(metrics, 'sluice_ready')).toBe(0)
  isReady = true
  expect(await valueOf(metrics, 'sluice_ready')).toBe(1)
})

test('the event loop lag has its median, p99 and longest pause', async () => {
  const metrics = createMetrics()
  measureProcess(metrics, () => true)
  for (const quantile of ['0.5', '0.99', '1']) {
    expect(await valueOf(metrics, `sluice_event_loop_lag_seconds{quantile="${quantile}"}`)).toBe(0)
  }
})

test('CPU time only grows, and is not counted twice', async () => {
  const metrics = createMetrics()
  measureProcess(metrics, () => true)
  const first = await valueOf(metrics, 'sluice_process_cpu_seconds_total')
  const second = await valueOf(metrics, 'sluice_process_cpu_seconds_total')
  const { user, system } = process.cpuUsage()
  expect(first).toBeGreaterThan(0)
  expect(second).toBeGreaterThanOrEqual(first)
  expect(second).toBeLessThanOrEqual((user + system) / 1e6)
})

test('a garbage collection pause is counted by its kind', async () => {
  const metrics = createMetrics()
  measureProcess(metrics, () => true)
  const garbage: object[] = []
  let counted = Number.NaN
  while (Number.isNaN(counted)) {
    for (let index = 0; index < 100_000; index += 1) garbage[index % 1000] = { index }
    // Performance observers are called in a later iteration of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    counted = await valueOf(metrics, 'sluice_process_gc_seconds_count{kind="minor"}')
  }
  expect(counted).toBeGreaterThan(0)
})

test('start time and versions are exposed', async () => {
  const metrics = createMetrics()
  measureProcess(metrics, () => true)
  const startedAt = await valueOf(metrics, 'sluice_process_start_time_seconds')
  expect(Math.abs(startedAt - performance.timeOrigin / 1000)).toBeLessThan(1)
  const { text } = await metrics.expose()
  const labels = `version="\\d+[.]\\d+[.]\\d+",node="${process.version}"`
  expect(text).toMatch(new RegExp(`sluice_build_info\\{${labels}\\} 1`))
})
