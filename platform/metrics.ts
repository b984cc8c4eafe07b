/** The metric table made into live metrics, and their exposition for Prometheus. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricTable } from './metric-table.ts'
import type { LabelOf, MetricName, MetricRow } from './metric-table.ts'

type Labels<Name extends MetricName> = Record<LabelOf<Name>, string>
type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never
}[MetricName]

export interface Metrics {
  count<Name extends NameOf<'counter'>>(name: Name, labels: Labels<Name>, by?: number): void
  set<Name extends NameOf<'gauge'>>(name: Name, labels: Labels<Name>, value: number): void
  observe<Name extends NameOf<'histogram'>>(name: Name, labels: Labels<Name>, value: number): void
  /** The text that Prometheus scrapes, and its content type. */
  expose(): Promise<{ contentType: string; text: string }>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'sluice_process_' })
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()

  for (const [name, row] of Object.entries<MetricRow>(metricTable)) {
    const options = { name, help: row.help, labelNames: row.labels, registers: [registry] }
    if (row.type === 'counter') counters.set(name, new Counter(options))
    else if (row.type === 'gauge') gauges.set(name, new Gauge(options))
    else histograms.set(name, new Histogram({ ...options, buckets: [...(row.buckets ?? [])] }))
  }

  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() })
  }
}
