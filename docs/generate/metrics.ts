/** Generates the tables of docs/reference/metrics.md from the table of metrics. */
import { metricTable } from '../../platform/telemetry/metric-table.ts'
import type { MetricName, MetricRow } from '../../platform/telemetry/metric-table.ts'
import { metricAdvice, metricSections } from '../source/metric-advice.ts'
import { code, formatTable } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

const rows = Object.entries<MetricRow>(metricTable) as [MetricName, MetricRow][]
const head = ['metric', 'type', 'unit', 'labels', 'meaning', 'when it looks bad']

function cellsOf([name, { type, unit, labels, help }]: (typeof rows)[number]): string[] {
  const { notes, advice } = metricAdvice[name]
  const meaning = notes === undefined ? help : `${help} ${notes}`
  return [code(name), type, unit, labels.map(code).join(', '), meaning, advice]
}

function formatSection([title, names]: [string, readonly string[]]): string {
  const section = rows.filter(([name]) => names.includes(name))
  return `## ${title}\n\n${formatTable(head, section.map(cellsOf))}`
}

export const metrics: GeneratedPage = {
  path: 'docs/reference/metrics.md',
  parts: () => ({ metrics: Object.entries(metricSections).map(formatSection).join('\n') })
}
