/** Tests that the dashboards match their generator, use existing metrics, and have no overlapping
 * panels.
 */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { makeDashboards } from '../deploy/grafana/make-dashboards.ts'
import { metricTable } from '../platform/telemetry/metric-table.ts'
import { read } from './docs/pages.ts'
import { recordedNames } from './support/alert-rules.ts'
import { flawsOf } from './support/promql.ts'

interface Place {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

interface Dashboard {
  readonly uid: string
  readonly panels: readonly {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly gridPos: Place
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const folder = 'deploy/grafana/dashboards'
const made = makeDashboards()
const dashboards = readdirSync(folder).map((name) => {
  return { name, dashboard: JSON.parse(read(`${folder}/${name}`)) as Dashboard }
})

test('the files equal the output of deploy/grafana/make-dashboards.ts', () => {
  const committed = dashboards.map(({ name }) => [name, read(`${folder}/${name}`)])
  expect(Object.fromEntries(committed)).toEqual(made)
})

function overlap(one: Place, other: Place): boolean {
  const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x
  const isBelow = one.y + one.h <= other.y || other.y + other.h <= one.y
  return !isBeside && !isBelow
}

describe.each(dashboards)('$name', ({ name, dashboard: { uid, panels } }) => {
  const targets = panels.flatMap((panel) => panel.targets ?? [])

  test('queries existing metrics and labels', () => {
    expect(targets.length).toBeGreaterThan(5)
    const recorded = recordedNames
    expect(targets.flatMap(({ expr }) => flawsOf(expr, { recorded }))).toEqual([])
  })

  test('uses only labels in its legends that its queries keep', () => {
    const lost = targets.flatMap(({ expr, legendFormat }) => {
      const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      const kept = /^(?:\w+) by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ')
      const known = kept ?? /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? ['slo']
      return labels.filter((label) => !known.includes(label))
    })
    expect(lost).toEqual([])
  })

  test('has a name, and panels that do not overlap', () => {
    expect(name).toBe(`${uid}.json`)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const overlaps = panels.flatMap((one, index) =>
      panels.slice(index + 1).filter((other) => overlap(one.gridPos, other.gridPos))
    )
    expect(overlaps).toEqual([])
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  })
})

test('every metric that an alert or objective uses is on a dashboard', () => {
  const shown = dashboards.map(({ name }) => read(`${folder}/${name}`)).join('\n')
  const rules = ['alerts.yml', 'slo.yml']
    .map((name) => read(`deploy/prometheus/${name}`))
    .join('\n')
  const watched = Object.keys(metricTable).filter((name) => rules.includes(name))
  // The time of the last audit is not on a dashboard, because the alert SluiceAuditStale covers it.
  const unseen = watched.filter((name) => !shown.includes(name))
  expect(unseen).toEqual(['sluice_audit_last_success_timestamp_seconds'])
})

test('Grafana has one data source and one folder', () => {
  const provisioning = 'deploy/grafana/provisioning'
  const providers = parse(read(`${provisioning}/dashboards/sluice.yml`)) as object
  const sources = parse(read(`${provisioning}/datasources/prometheus.yml`)) as object
  expect(providers).toMatchObject({ apiVersion: 1, providers: [{ type: 'file' }] })
  expect(sources).toMatchObject({ apiVersion: 1, datasources: [{ type: 'prometheus' }] })
})
