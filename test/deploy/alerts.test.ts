/** Tests with promtool that every alert fires when it should, with the right text, and stays quiet
 * otherwise.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { alertRules, ruleFiles } from '../support/alert-rules.ts'
import { findPromtool } from '../support/promtool.ts'
import { run } from '../support/run-to-end.ts'
import { alertCases, healthy, quietCases } from './alert-cases.ts'
import type { AlertCase, Series } from './alert-cases.ts'

const timeoutMs = 9 * 60_000
const folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const promtool = await findPromtool()
if (promtool === null) {
  process.stderr.write('Without promtool no alert is seen to fire.\n')
}
const testIfPromtool = promtool === null ? test.skip : test
const names = alertRules.map(({ alert }) => alert)

function ruleOf(name: string) {
  const rule = alertRules.find(({ alert }) => alert === name)
  if (rule === undefined) throw new Error(`there is no alert ${name}`)
  return rule
}

/** Returns the healthy series in promtool's format, with those in `series` replaced or removed. */
function inputOf(series: Series) {
  return Object.entries({ ...healthy, ...series }).flatMap(([name, values]) =>
    values === null ? [] : [{ series: name, values }]
  )
}

const silent = (at: number) => (alertname: string) => ({
  eval_time: `${at}m`,
  alertname,
  exp_alerts: []
})

function titleOf({ alert, because }: AlertCase): string {
  return because === undefined ? `${alert} fires` : `${alert} fires: ${because}`
}

function firing(each: AlertCase) {
  const { alert, series, at = 60, labels = {}, summary, quiet } = each
  const { labels: own, annotations } = ruleOf(alert)
  const exp_alerts = [
    { exp_labels: { ...own, ...labels }, exp_annotations: { ...annotations, summary } }
  ]
  return {
    name: titleOf(each),
    interval: '1m',
    input_series: inputOf(series),
    alert_rule_test: [
      { eval_time: `${at}m`, alertname: alert, exp_alerts },
      ...(quiet ?? []).map(silent(at))
    ]
  }
}

/** Runs promtool on the cases. The exit code is 0 if all of them pass. */
async function judge(name: string, tests: readonly object[]) {
  for (const path of ruleFiles) copyFileSync(path, join(folder, basename(path)))
  const file = join(folder, `${name}.yml`)
  const rule_files = ruleFiles.map((path) => basename(path))
  writeFileSync(file, stringify({ rule_files, evaluation_interval: '1m', tests }))
  return await run(promtool ?? '', ['test', 'rules', file])
}

test('every alert has a case in which it fires', () => {
  const fired = new Set(alertCases.map(({ alert }) => alert))
  expect([...fired].toSorted()).toEqual(names.toSorted())
})

testIfPromtool(
  'promtool accepts the rules',
  async () => {
    const { code, output } = await run(promtool ?? '', ['check', 'rules', ...ruleFiles])
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') })
  },
  timeoutMs
)

testIfPromtool(
  'no alert fires in a healthy installation',
  async () => {
    const alert_rule_test = [20, 60, 175].flatMap((at) => names.map(silent(at)))
    const well = { interval: '1m', input_series: inputOf({}), alert_rule_test }
    const { code, output } = await judge('well', [well])
    expect(code === 0 ? '' : output).toBe('')
  },
  timeoutMs
)

testIfPromtool.each(alertCases.map((each) => [titleOf(each), each] as const))(
  '%s',
  async (_, each) => {
    const { code, output } = await judge(each.alert, [firing(each)])
    expect(code === 0 ? '' : output).toBe('')
  },
  timeoutMs
)

testIfPromtool.each(quietCases)(
  'no alert fires: $what',
  async ({ series, at, quiet }) => {
    const alert_rule_test = quiet.map(silent(at))
    const quietTest = { interval: '1m', input_series: inputOf(series), alert_rule_test }
    const { code, output } = await judge('quiet', [quietTest])
    expect(code === 0 ? '' : output).toBe('')
  },
  timeoutMs
)

testIfPromtool('reports a case that does not hold', async () => {
  const { code, output } = await judge('broken', [
    firing({ alert: 'SluiceRateLimitLocal', series: {}, summary: 'it fires though nothing is' })
  ])
  expect(code).toBe(1)
  expect(output).toContain('SluiceRateLimitLocal')
})
