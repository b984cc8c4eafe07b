/** The metric table made into live metrics, and their exposition for Prometheus. */
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricTable } from './metric-table.ts'
import type { LabelOf, MetricName, MetricRow } from './metric-table.ts'

type Labels<Name extends MetricName> = Readonly<Record<LabelOf<Name>, string>>
type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** Adds to one counter with fixed labels; by one unless told otherwise. */
export type Increment = (by?: number) => void
/** Adds a value to one histogram with fixed labels. */
export type Observe = (value: number) => void

export interface Metrics {
  count<Name extends NameOf<'counter'>>(name: Name, labels: Labels<Name>, by?: number): void
  /**
   * For the hottest places, made once: an increment is an addition, and the registry hears of it
   * when somebody looks. The series is there from now on, with 0.
   */
  counter<Name extends NameOf<'counter'>>(name: Name, labels: Labels<Name>): Increment
  set<Name extends NameOf<'gauge'>>(name: Name, labels: Labels<Name>, value: number): void
  observe<Name extends NameOf<'histogram'>>(name: Name, labels: Labels<Name>, value: number): void
  /** As `counter`: a value is put aside, and the registry hears of many at once. */
  histogram<Name extends NameOf<'histogram'>>(name: Name, labels: Labels<Name>): Observe
  /** `look` is called whenever somebody looks, to set what is only known by looking. */
  onLook(look: () => void): void
}

/** The metrics of a process, as its management port sees them. */
export interface ProcessMetrics extends Metrics {
  expose(): Promise<Exposition>
  /** Every value as plain data, for the process that exposes those of several. */
  snapshot(): Promise<MetricsSnapshot>
}

/** The text that Prometheus scrapes. */
export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/** Survives JSON. */
export type MetricsSnapshot = readonly SnapshotMetric[]
interface SnapshotMetric {
  readonly name: string
  readonly type: string
}

export function createMetrics(): ProcessMetrics {
  const { registry, counters, gauges, histograms } = createRegistry()
  const looks: (() => void)[] = []

  function look(): void {
    for (const each of looks) each()
  }

  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    counter: (name, labels) => {
      const { increment, flush } = bindCounter(counters.get(name), labels)
      looks.push(flush)
      return increment
    },
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    histogram: (name, labels) => {
      const { observe, flush } = bindHistogram(histograms.get(name), labels)
      looks.push(flush)
      return observe
    },
    onLook: (each) => void looks.push(each),
    expose: async () => {
      look()
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
    snapshot: async () => {
      look()
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

/** Values that are put aside at most. */
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

/** Exposes several snapshots as one: counters added up, gauges as their row says. */
export async function exposeTogether(snapshots: readonly MetricsSnapshot[]): Promise<Exposition> {
  const registry = aggregate(snapshots)
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/**
 * What is left of processes that ended: counters and histograms, added up. Without them the sums
 * of those who still run would go backwards. A gauge says how it is now, and ends with its process.
 */
export function remainsOf(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const lasting = snapshots.map((each) => each.filter(({ type }) => type !== 'gauge'))
  return aggregate(lasting).getMetricsAsArray() as unknown as MetricsSnapshot
}

function aggregate(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots as unknown as object[])
}
