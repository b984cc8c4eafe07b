/** The documents against the code: what is documented exists, and what exists is documented. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { problems } from '../core/problem.ts'
import { offlineEvaluators } from '../consumers/evaluation/plan.ts'
import { settings } from '../platform/config.ts'
import { metricTable } from '../platform/metric-table.ts'
import type { MetricRow } from '../platform/metric-table.ts'

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

/** The cells of a table's rows whose first cell is a name in backquotes. */
function rowsOf(path: string): string[][] {
  const lines = read(path).split('\n')
  const rows = lines.filter((line) => line.startsWith('| `'))
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

const code = (text: unknown): string => `\`${String(text)}\``
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
const documents = tracked.split('\n').filter((path) => path.endsWith('.md') && existsSync(path))

test('every setting is documented with its default, and no other', () => {
  const documented = rowsOf('docs/configuration.md').map(([name, fallback]) => [name, fallback])
  const existing = Object.entries(settings).map(([name, setting]) => [
    code(name),
    setting.default === undefined ? '(required)' : code(setting.default)
  ])
  expect(documented).toEqual(existing)
})

test('every refusal is documented with its status and whether to retry, and no other', () => {
  const documented = rowsOf('docs/errors.md').map((cells) => cells.slice(0, 4))
  const existing = Object.entries(problems).map(([name, { status, retryable, title }]) => [
    code(name),
    String(status),
    retryable ? 'yes' : 'no',
    title
  ])
  expect(documented).toEqual(existing)
})

test('every metric is documented with its type and labels, and no other', () => {
  const documented = rowsOf('docs/metrics.md').map((cells) => cells.slice(0, 3))
  const existing = Object.entries<MetricRow>(metricTable).map(([name, { type, labels }]) => [
    code(name),
    type,
    labels.map(code).join(', ')
  ])
  expect(documented).toEqual(existing)
})

test('every metric is written somewhere', () => {
  const sources = tracked
    .split('\n')
    .filter((path) => /^(gateway|consumers|platform)\/.*\.ts$/.test(path))
  const code = sources
    .filter((path) => !path.endsWith('metric-table.ts'))
    .map(read)
    .join('\n')
  expect(Object.keys(metricTable).filter((name) => !code.includes(`'${name}'`))).toEqual([])
})

test('every evaluator is documented, and no other', () => {
  const documented = rowsOf('docs/evaluators.md').map(([name]) => name)
  expect(documented).toEqual(offlineEvaluators.map(({ name }) => code(name)))
})

describe.each(documents)('%s', (path) => {
  test('links to what exists', () => {
    const links = [...read(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
      ([, target]) => target ?? ''
    )
    const relative = links.filter((target) => !/^[a-z]+:/.test(target))
    expect(relative.filter((target) => !existsSync(join(dirname(path), target)))).toEqual([])
  })

  test('has JSON that parses', () => {
    const blocks = [...read(path).matchAll(/```json\n([\s\S]*?)```/g)].map(
      ([, block]) => block ?? ''
    )
    for (const block of blocks) expect(() => JSON.parse(block) as unknown).not.toThrow()
  })

  test('names files that exist', () => {
    const names = [...read(path).matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|json|avsc|yml))`/g)]
    const missing = names.map(([, name]) => name ?? '').filter((name) => !existsSync(name))
    expect(missing).toEqual([])
  })
})

test('the pictures of README and code are the same', () => {
  const stepsOf = (text: string): string[] =>
    [...text.matchAll(/[├└]─ (.+)$/gm)].map(([, step]) => step ?? '')
  expect(stepsOf(read('README.md'))).toEqual(stepsOf(read('gateway/ingest/ingest.ts')))
})
