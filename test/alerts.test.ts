/** Tests that alerts and runbooks match each other, and that both use existing metrics. */
import { describe, expect, test } from '@jest/globals'
import { problems } from '../core/problem.ts'
import { blocksIn, code, files, fragmentsOf, pages } from './docs/pages.ts'
import { read, rowsOf, sectionOf } from './docs/pages.ts'
import { alertRules, recordedNames, recordRules } from './support/alert-rules.ts'
import { flawsOf } from './support/promql.ts'

const recorded = recordedNames
const names = alertRules.map(({ alert }) => alert)

const runbooks = pages.filter((path) => path.startsWith('docs/guides/operations/runbooks/'))
const objectivesPage = 'docs/guides/operations/runbooks/objectives.md'

function runbookOf(alert: string): string {
  const page = runbooks.find((path) => fragmentsOf(path).includes(alert.toLowerCase()))
  if (page === undefined) throw new Error(`${alert} has no runbook`)
  return page
}

describe('the runbooks', () => {
  test('have a section for each alert, in the order of the alerts, and no other', () => {
    const headings = [...new Set(names.map(runbookOf))].flatMap((page) =>
      [...read(page).matchAll(/^## (Sluice\w+)$/gm)].map(([, heading]) => heading)
    )
    expect(headings).toEqual(names)
  })

  test.each(names)(
    'explain %s with a meaning, a first command, and a fix for each cause',
    (name) => {
      const section = sectionOf(runbookOf(name), name)
      expect([...section.matchAll(/^\*\*([\w ]+)\*\*: \S/gm)].map(([, word]) => word)).toEqual([
        ...['Meaning', 'First command']
      ])
      expect(section).toMatch(/^```(sh|sql|promql)\n\S/m)
      const causes = rowsOf(section)
      expect(causes).not.toEqual([])
      expect(causes.filter((cells) => cells.length !== 2 || cells.includes(''))).toEqual([])
    }
  )

  test('query existing metrics and labels', () => {
    const lines = runbooks
      .flatMap((page) => blocksIn(read(page), 'promql'))
      .flatMap((block) => block.trim().split('\n'))
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.flatMap((line) => flawsOf(line, { recorded }))).toEqual([])
  })

  test('state the target of each objective', () => {
    const objectives = recordRules.filter(({ record }) => record === 'sluice:slo_objective:ratio')
    const documented = rowsOf(sectionOf(objectivesPage, 'Objectives')).slice(0, objectives.length)
    expect(
      documented.map(([name, target = '']) => [name, String(Number.parseFloat(target))])
    ).toEqual(
      objectives.map(({ expr, labels }) => {
        const ratio = Number(/^vector\((.+)\)$/.exec(expr)?.[1])
        return [code(labels?.['slo']), String(Number((ratio * 100).toPrecision(10)))]
      })
    )
  })
})

test('log messages quoted in docs and alerts exist in the code', () => {
  const documents = files.filter((path) => /^(docs|deploy)\/.*[.](md|ts|yml)$/.test(path))
  const named = documents.flatMap((path) =>
    [...read(path).matchAll(/log line [`"]([^`"]+)[`"]/g)].map(([, line = '']) => line)
  )
  const rooms = /^(api|auth|cli|consumers|gateway|http|platform|usage)\/.*[.]ts$/
  const sources = files.filter((path) => rooms.test(path)).map(read)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((line) => !sources.some((text) => text.includes(line)))).toEqual([])
})

describe('flawsOf', () => {
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
  test('uses existing metrics and labels', () => {
    expect(flawsOf(expr, { recorded })).toEqual([])
  })

  test('has a name, a severity, a description and a link to its runbook', () => {
    expect(alert).toMatch(/^Sluice[A-Z]\w+$/)
    expect(['warning', 'critical']).toContain(labels['severity'])
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url'])
    expect(Object.values(annotations)).not.toContain('')
    expect(annotations['runbook_url']).toBe(`${runbookOf(alert)}#${alert.toLowerCase()}`)
  })
})

describe('recorded series', () => {
  test.each(recordRules)('$record $labels: uses existing metrics', ({ expr }) => {
    expect(flawsOf(expr, { recorded })).toEqual([])
  })

  test('count all rejections caused by the service, and no others, against availability', () => {
    const [expr = ''] = recordRules.flatMap(({ record, labels, expr: text }) =>
      record === 'sluice:slo_errors:rate5m' && labels?.['slo'] === 'availability' ? [text] : []
    )
    const counted = /sluice_ingest_outcomes_total\{reason=~"([^"]*)"/.exec(expr)?.[1]?.split('|')
    const ours = Object.entries(problems).filter(([, { status }]) => status >= 500)
    expect(counted?.toSorted()).toEqual(ours.map(([name]) => name).toSorted())
  })
})
