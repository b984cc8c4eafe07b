/** Process metrics: measures memory, CPU, garbage collection, the event loop and readiness. */
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import type { PerformanceEntry } from 'node:perf_hooks'
import manifest from '../../package.json' with { type: 'json' }
import type { Metrics, ProcessMetrics } from './metrics.ts'

type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }
type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>

const windowMs = 10_000
const resolutionMs = 10
const quantiles = [
  ['0.5', 50],
  ['0.99', 99],
  ['1', 100]
] as const

const gcKinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak callbacks']
])

/** Measures this process until it exits, without keeping it alive. */
export function measureProcess(metrics: ProcessMetrics, isReady: () => boolean): void {
  metrics.set('sluice_build_info', { version: manifest.version, node: process.version }, 1)
  metrics.set('sluice_process_start_time_seconds', {}, performance.timeOrigin / 1000)
  const countCpu = createCountCpu(metrics)
  metrics.onCollect(() => {
    metrics.set('sluice_ready', {}, isReady() ? 1 : 0)
    setMemory(metrics)
    countCpu()
  })
  measureEventLoop(metrics)
  measureGarbageCollection(metrics)
}

function setMemory(metrics: Metrics): void {
  const { rss, heapUsed, external } = process.memoryUsage()
  metrics.set('sluice_process_resident_memory_bytes', {}, rss)
  metrics.set('sluice_process_heap_used_bytes', {}, heapUsed)
  metrics.set('sluice_process_external_memory_bytes', {}, external)
}

function createCountCpu(metrics: Metrics) {
  let counted = 0

  return function countCpu(): void {
    const { user, system } = process.cpuUsage()
    const used = (user + system) / 1e6
    metrics.count('sluice_process_cpu_seconds_total', {}, used - counted)
    counted = used
  }
}

/**
 * Measures the event-loop delay in fixed windows, so that the scrape interval does not affect the
 * values.
 */
function measureEventLoop(metrics: Metrics): void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  const show = (): void => {
    for (const [quantile, percentile] of quantiles) {
      const lag = lagSeconds(histogram, percentile)
      metrics.set('sluice_event_loop_lag_seconds', { quantile }, lag)
    }
    histogram.reset()
  }
  show()
  histogram.enable()
  // The histogram has its own timer. After a long delay, the interval below can fire before that
  // timer, and the reset would lose the delay. An immediate runs after both.
  setInterval(() => setImmediate(show), windowMs).unref()
}

/**
 * Returns the delay in seconds. The histogram records the time between two ticks of its timer; the
 * excess over the resolution is the delay.
 */
function lagSeconds(histogram: DelayHistogram, percentile: number): number {
  if (histogram.count === 0) return 0
  return Math.max(0, histogram.percentile(percentile) / 1e9 - resolutionMs / 1000)
}

function measureGarbageCollection(metrics: Metrics): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[]) {
      const kind = gcKinds.get(entry.detail.kind) ?? 'other'
      metrics.observe('sluice_process_gc_seconds', { kind }, entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
}
