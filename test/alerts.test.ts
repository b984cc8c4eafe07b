/** The alerts: over metrics that exist, told in words, and documented with what to do. */
import { describe, expect, test } from '@jest/globals'
import { problems } from '../core/problem.ts'
import { blocksIn, code, fragmentsOf, read, rowsOf, sectionOf } from './docs/pages.ts'
import { alertRules, recordedNames, recordRules } from './support/alert-rules.ts'
import { flawsOf } from './support/promql.ts'

const recorded = recordedNames
const names = alertRules.map(({ alert }) => alert)

test('every alert has its row in the documents, and there is no other', () => {
  const documented = rowsOf(sectionOf('docs/operations.md', 'Alerts')).map(([name]) => name)
  expect(documented).toEqual(names.map(code))
})

describe('docs/runbooks.md', () => {
  const headings = [...read('docs/runbooks.md').matchAll(/^## (.+)$/gm)].map(([, text]) => text)

  test('has a section for each alert, in their order, and no other', () => {
    expect(headings).toEqual(['What we promise', ...names])
  })

  test.each(names)('%s: what it means, where to look, with a command, and what to do', (name) => {
    const section = sectionOf('docs/runbooks.md', name)
    expect([...section.matchAll(/^\*\*(\w+)\*\*: \S/gm)].map(([, word]) => word)).toEqual([
      ...['Means', 'Look', 'Do']
    ])
    expect(section).toMatch(/^```(sh|sql|promql)\n\S/m)
  })

  test('asks Prometheus for what is there', () => {
    const lines = blocksIn(read('docs/runbooks.md'), 'promql').flatMap((block) =>
      block.trim().split('\n')
    )
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.flatMap((line) => flawsOf(line, { recorded }))).toEqual([])
  })

  test('states each objective as it is', () => {
    const objectives = recordRules.filter(({ record }) => record === 'sluice:slo_objective:ratio')
    const documented = rowsOf(sectionOf('docs/runbooks.md', 'What we promise'))
    expect(documented.map(([name, promise = '']) => [name, promise.split(' ')[0]])).toEqual(
      objectives.map(({ expr, labels }) => {
        const ratio = Number(/^vector\((.+)\)$/.exec(expr)?.[1])
        return [code(labels?.['slo']), String(Number((ratio * 100).toPrecision(10)))]
      })
    )
  })
})

describe('what an expression may name', () => {
  test.each([
    ['sum(rate(sluice_nothing_total[5m]))', ['sluice_nothing_total: no such metric']],
    ['sluice_shed_total{operation="ingest"}', ['sluice_shed_total: no such label: operation']],
    ['sum by (topic) (sluice_shed_total)', ['no such label: topic']],
    ['sluice_produce_seconds', ['sluice_produce_seconds: no such metric']],
    [
      'sluice_produce_seconds_bucket{le="0.3"}',
      ['sluice_produce_seconds_bucket: no such bound: 0.3']
    ],
    ['sluice:nothing:rate5m > 0', ['sluice:nothing:rate5m: no such metric']],
    ['up', ['up: no metric']],
    ['sum by (job, reason) (sluice_shed_total{reason=~"wait|requests"})', []],
    ['sum by (le) (rate(sluice_produce_seconds_bucket{le="0.5"}[5m]))', []]
  ])('fixture: %s', (expr, flaws) => {
    expect(flawsOf(expr, { recorded })).toEqual(flaws)
  })
})

describe.each(alertRules)('$alert', ({ alert, expr, labels, annotations }) => {
  test('is over metrics and labels that exist', () => {
    expect(flawsOf(expr, { recorded })).toEqual([])
  })

  test('says what it is, how bad, what to do, and where that is written', () => {
    expect(alert).toMatch(/^Sluice[A-Z]\w+$/)
    expect(['warning', 'critical']).toContain(labels['severity'])
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url'])
    expect(Object.values(annotations)).not.toContain('')
    expect(annotations['runbook_url']).toBe(`docs/runbooks.md#${alert.toLowerCase()}`)
    expect(fragmentsOf('docs/runbooks.md')).toContain(alert.toLowerCase())
  })
})

describe('recorded series', () => {
  test.each(recordRules)('$record $labels: is over metrics that exist', ({ expr }) => {
    expect(flawsOf(expr, { recorded })).toEqual([])
  })

  test('availability counts every refusal that is ours, and no other', () => {
    const [expr = ''] = recordRules.flatMap(({ record, labels, expr: text }) =>
      record === 'sluice:slo_errors:rate5m' && labels?.['slo'] === 'availability' ? [text] : []
    )
    const counted = /sluice_ingest_outcomes_total\{reason=~"([^"]*)"/.exec(expr)?.[1]?.split('|')
    const ours = Object.entries(problems).filter(([, { status }]) => status >= 500)
    expect(counted?.toSorted()).toEqual(ours.map(([name]) => name).toSorted())
  })
})
