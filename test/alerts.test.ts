/** The alerts: over metrics that exist, told in words, and documented with what to do. */
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { metricTable } from '../platform/metric-table.ts'
import type { MetricRow } from '../platform/metric-table.ts'
import { code, fragmentsOf, read, rowsOf, sectionOf } from './docs/pages.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}

const file = parse(read('deploy/prometheus/alerts.yml')) as RuleFile
const rules = file.groups.flatMap((group) => group.rules)
const rows: Readonly<Record<string, MetricRow>> = metricTable
/** Functions and words of PromQL that stand where a label could. */
const matched = /(\w+)\s*(?:=~|=|!=|!~)\s*"/g

test('every alert has its row in the documents, and there is no other', () => {
  const documented = rowsOf(sectionOf('docs/operations.md', 'Alerts')).map(([name]) => name)
  expect(documented).toEqual(rules.map(({ alert }) => code(alert)))
})

describe.each(rules)('$alert', ({ alert, expr, for: pending, labels, annotations }) => {
  test('is over metrics and labels that exist', () => {
    const metrics = [...new Set(expr.match(/sluice_\w+/g))]
    expect(metrics).not.toEqual([])
    expect(metrics.filter((name) => !(name in rows))).toEqual([])
    const known = metrics.flatMap((name) => rows[name]?.labels ?? [])
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) =>
      names.split(', ')
    )
    const filtered = [...expr.matchAll(matched)].map(([, name = '']) => name)
    const used = [...grouped, ...filtered].filter((name) => name !== 'job')
    expect(used.filter((name) => !known.includes(name))).toEqual([])
  })

  test('has balanced parentheses and durations that Prometheus reads', () => {
    expect(expr.split('(').length).toBe(expr.split(')').length)
    const durations = [...expr.matchAll(/\[([^\]]*)\]/g)].map(([, duration]) => duration)
    for (const duration of [...durations, pending ?? '0s']) expect(duration).toMatch(/^\d+[smh]$/)
  })

  test('says what it is, how bad, what to do, and where that is written', () => {
    expect(alert).toMatch(/^Sluice[A-Z]\w+$/)
    expect(['warning', 'critical']).toContain(labels['severity'])
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook'])
    expect(Object.values(annotations)).not.toContain('')
    const [page = '', fragment = ''] = annotations['runbook']?.split('#') ?? []
    expect(fragmentsOf(page)).toContain(fragment)
  })
})
