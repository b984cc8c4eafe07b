/** Metrics: holds the values of the metric table and exposes them to Prometheus. */
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricTable } from './metric-table.ts'
import type { LabelOf, MetricName, MetricRow } from './metric-table.ts'

type Labels<Name extends MetricName> = Readonly<Record<LabelOf<Name>, string>>
type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** Adds `by` (default: 1) to a counter with fixed labels. */
export type Increment = (by?: number) => void
/** Adds a value to a histogram with fixed labels. */
export type Observe = (value: number) => void

export interface Metrics {
  count<Name extends NameOf<'counter'>>(name: Name, labels: Labels<Name>, by?: number): void
  /**
   * Returns an increment function for hot paths; create it once. It sums increments and writes the
   * sum to the registry on collection. The series exists immediately, starting at 0.
   */
  counter<Name extends NameOf<'counter'>>(name: Name, labels: Labels<Name>): Increment
  set<Name extends NameOf<'gauge'>>(name: Name, labels: Labels<Name>, value: number): void
  observe<Name extends NameOf<'histogram'>>(name: Name, labels: Labels<Name>, value: number): void
  /**
   * Returns an observe function for hot paths; create it once. It buffers values and writes them to
   * the registry in bulk.
   */
  histogram<Name extends NameOf<'histogram'>>(name: Name, labels: Labels<Name>): Observe
  /** Calls `collect` before each exposition or snapshot, for values that are computed on demand. */
  onCollect(collect: () => void): void
}

/** Metrics of a process, with the methods that expose them. */
export interface ProcessMetrics extends Metrics {
  expose(): Promise<Exposition>
  /**
   * Returns all values as plain data, for a process that exposes the metrics of several processes.
   */
  snapshot(): Promise<MetricsSnapshot>
}

/** Metrics in the text format that Prometheus scrapes. */
export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/** Values of all metrics, serializable as JSON. */
export type MetricsSnapshot = readonly SnapshotMetric[]
interface SnapshotMetric {
  readonly name: string
  readonly type: string
}

export function createMetrics(): ProcessMetrics {
  const { registry, counters, gauges, histograms } = createRegistry()
  const collectors: (() => void)[] = []

  function collect(): void {
    for (const each of collectors) each()
  }

  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    counter: (name, labels) => {
      const { increment, flush } = bindCounter(counters.get(name), labels)
      collectors.push(flush)
      return increment
    },
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    histogram: (name, labels) => {
      const { observe, flush } = bindHistogram(histograms.get(name), labels)
      collectors.push(flush)
      return observe
    },
    onCollect: (each) => void collectors.push(each),
    expose: async () => {
      collect()
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
    snapshot: async () => {
      collect()
      return (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot
    }
  }
}

function createRegistry() {
  const registry = new Registry()
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  for (const [name, row] of Object.entries<MetricRow>(metricTable)) {
    const options = { name, help: row.help, labelNames: row.labels, registers: [registry] }
    if (row.type === 'counter') counters.set(name, new Counter(options))
    else if (row.type === 'gauge') {
      gauges.set(name, new Gauge({ ...options, aggregator: row.across }))
    } else histograms.set(name, new Histogram({ ...options, buckets: [...row.buckets] }))
  }
  return { registry, counters, gauges, histograms }
}

function bindCounter(counter: Counter | undefined, labels: Readonly<Record<string, string>>) {
  let pending = 0
  counter?.inc(labels, 0)
  return {
    increment: (by = 1): void => {
      pending += by
    },
    flush: (): void => {
      if (pending === 0) return
      counter?.inc(labels, pending)
      pending = 0
    }
  }
}

/** Maximum number of buffered values per histogram. */
const observedMax = 1000

function bindHistogram(histogram: Histogram | undefined, labels: Readonly<Record<string, string>>) {
  let observed: number[] = []

  function flush(): void {
    for (const value of observed) histogram?.observe(labels, value)
    observed = []
  }

  function observe(value: number): void {
    if (observed.push(value) >= observedMax) flush()
  }
  return { observe, flush }
}

/**
 * Exposes several snapshots as one. Counters and histograms are summed, and gauges are combined as
 * their rows define.
 */
export async function exposeSnapshots(snapshots: readonly MetricsSnapshot[]): Promise<Exposition> {
  const registry = aggregate(snapshots)
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/**
 * Returns the summed counters and histograms of ended processes. Without them, the sums over the
 * running processes would decrease. Gauges are omitted, because they describe only running
 * processes.
 */
export function totalsOfEnded(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const lasting = snapshots.map((each) => each.filter(({ type }) => type !== 'gauge'))
  return aggregate(lasting).getMetricsAsArray() as unknown as MetricsSnapshot
}

function aggregate(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots as unknown as object[])
}
