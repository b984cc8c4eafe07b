/** Generates the Grafana dashboards from their panels: `node deploy/grafana/make-dashboards.ts`.
 *
 * The output is committed. A test checks that it is up to date.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { panels } from './panels.ts'
import type { Page, Panel } from './panels.ts'

/** Width of a dashboard in columns of Grafana's grid. */
const columns = 24
const height = 8
const datasource = { type: 'prometheus', uid: '${datasource}' }

function place(index: number, count: number, top: number) {
  const w = columns / Math.min(count, 2)
  return { x: (index % 2) * w, y: top + Math.floor(index / 2) * height, w, h: height }
}

function panelOf({ title, unit, queries, isFigure = false }: Panel) {
  const targets = Object.entries(queries).map(([legendFormat, expr], index) => {
    return { refId: String.fromCodePoint(65 + index), datasource, expr, legendFormat }
  })
  const type = isFigure ? 'stat' : 'timeseries'
  const fieldConfig = { defaults: { unit, min: 0 }, overrides: [] }
  return { type, title, datasource, fieldConfig, targets }
}

function panelsOf(rows: Page['rows']) {
  let top = 0
  const placed = Object.entries(rows).flatMap(([title, row]) => {
    const gridPos = { x: 0, y: top, w: columns, h: 1 }
    const head = { type: 'row', title, gridPos, collapsed: false, panels: [] }
    const of = row.map((each, index) => {
      return { ...panelOf(each), gridPos: place(index, row.length, top + 1) }
    })
    top += 1 + Math.ceil(row.length / 2) * height
    return [head, ...of]
  })
  return placed.map((each, index) => ({ id: index + 1, ...each }))
}

function dashboardOf({ uid, title, rows }: Page) {
  const variable = {
    name: 'datasource',
    label: 'Prometheus',
    type: 'datasource',
    query: 'prometheus'
  }
  return {
    uid,
    title,
    tags: ['sluice'],
    schemaVersion: 41,
    editable: false,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [variable] },
    links: [{ type: 'dashboards', title: 'Sluice', tags: ['sluice'], keepTime: true }],
    panels: panelsOf(rows)
  }
}

/** Returns the JSON text of each dashboard by file name. */
export function makeDashboards(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    panels.map((page) => [`${page.uid}.json`, `${JSON.stringify(dashboardOf(page), null, 2)}\n`])
  )
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(makeDashboards())) {
    writeFileSync(join(import.meta.dirname, 'dashboards', name), text)
  }
}
