/** Checks the metric names, labels and buckets in PromQL expressions against the metric table. */
import { metricTable } from '../../platform/telemetry/metric-table.ts'
import type { MetricRow } from '../../platform/telemetry/metric-table.ts'

const rows: Readonly<Record<string, MetricRow>> = metricTable
const ofHistograms = /_(bucket|count|sum)$/
/** Labels that Prometheus or the recording rules add. */
const addedLabels = ['job', 'instance', 'slo']

function findRow(name: string): MetricRow | undefined {
  const row = rows[name]
  if (row !== undefined) return row.type === 'histogram' ? undefined : row
  const histogram = rows[name.replace(ofHistograms, '')]
  return histogram?.type === 'histogram' ? histogram : undefined
}

function labelsOf(name: string): readonly string[] {
  const labels = findRow(name)?.labels ?? []
  return name.endsWith('_bucket') ? [...labels, 'le'] : labels
}

/** Returns each metric name in the expression with its label matchers. */
function selectorsIn(expr: string): { name: string; matchers: [string, string][] }[] {
  const found = [...expr.matchAll(/\b(sluice[_:][\w:]+)(?:\{([^}]*)\})?/g)]
  return found.map(([, name = '', braces = '']) => {
    const matchers = [...braces.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"([^"]*)"/g)]
    return { name, matchers: matchers.map(([, label = '', value = '']) => [label, value]) }
  })
}

interface PromqlOptions {
  /** Names of the series that recording rules create. */
  readonly recorded: readonly string[]
  /** Additional labels that are allowed, for example those of a dashboard filter. */
  readonly labels?: readonly string[]
}

/** Returns one sentence for each unknown metric, label or bucket bound. */
export function flawsOf(expr: string, { recorded, labels = [] }: PromqlOptions): string[] {
  const selectors = selectorsIn(expr)
  const free = [...addedLabels, ...labels]
  const ofSelectors = selectors.flatMap(({ name, matchers }) => {
    if (recorded.includes(name)) return []
    if (findRow(name) === undefined) return [`${name}: no such metric`]
    return matchers.flatMap(([label, value]) => {
      if (free.includes(label)) return []
      if (!labelsOf(name).includes(label)) return [`${name}: no such label: ${label}`]
      return label === 'le' ? boundFlawsOf(name, value) : []
    })
  })
  const known = selectors.flatMap(({ name }) => labelsOf(name))
  const grouped = [...expr.matchAll(/\b(?:by|on|without)\s*\(([^)]*)\)/g)].flatMap(
    ([, names = '']) => names.split(',').map((name) => name.trim())
  )
  const strange = grouped.filter((name) => name !== '' && ![...known, ...free].includes(name))
  const without = selectors.length === 0 && !/^vector\(/.test(expr) ? [`${expr}: no metric`] : []
  return [...ofSelectors, ...strange.map((name) => `no such label: ${name}`), ...without]
}

function boundFlawsOf(name: string, value: string): string[] {
  const row = findRow(name)
  const bounds = row?.type === 'histogram' ? row.buckets : []
  const asked = value.split('|').map(Number)
  return asked.every((bound) => bounds.includes(bound)) ? [] : [`${name}: no such bound: ${value}`]
}
