/** Tests that the newest results are written into the sections of the performance pages. */
import { expect, test } from '@jest/globals'
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillSection, newestResults, renderPages } from '../../../../bench/report/page.ts'

test('selects the newest results of each mode', () => {
  const files = ['2026-02-01-steady.json', '2026-01-01-steady.json', '2026-01-01-hot-agent.json']
  expect(newestResults([...files, 'notes.md', '2026-01-01.json'])).toEqual({
    steady: '2026-02-01-steady.json',
    'hot-agent': '2026-01-01-hot-agent.json'
  })
})

test('replaces only the lines between the marks', () => {
  const page = 'a\n<!-- bench: steady -->\n\nold\n\n<!-- end: steady -->\nb\n'
  const filled = fillSection(page, 'steady', ['| new |'])
  expect(filled).toBe('a\n<!-- bench: steady -->\n\n| new |\n\n<!-- end: steady -->\nb\n')
  expect(fillSection(filled ?? '', 'steady', ['| new |'])).toBe(filled)
})

test('returns null for a page without the section', () => {
  expect(fillSection('nothing', 'steady', [])).toBeNull()
})

test('writes the date and the machine into the section', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'))
  const page = join(folder, 'page.md')
  writeFileSync(page, '<!-- bench: steady --><!-- end: steady -->')
  const machine = { cores: 2, processor: 'A chip', memory_gib: 4, node: 'v24.1.0' }
  const results = { at: '2026-02-01T10:00:00Z', mode: 'steady', machine, page: ['| flat |'] }
  writeFileSync(join(folder, '2026-02-01-steady.json'), JSON.stringify(results))
  writeFileSync(join(folder, '2026-02-01-other.json'), JSON.stringify(results))
  const other = join(folder, 'other.md')
  writeFileSync(other, 'nothing')
  expect(renderPages(folder, [other, page])).toEqual([
    '2026-02-01-other.json has no section on any page.',
    'steady: the tables of 2026-02-01-steady.json'
  ])
  const sentence = 'Measured on 2026-02-01: 2 cores (A chip), Node v24.1.0.'
  expect(readFileSync(page, 'utf8')).toContain(`${sentence}\n\n| flat |`)
})

const marks = globSync('docs/explanation/performance*.md').flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/<!-- bench: ([\w-]+) -->/g)].map(([, mode = '']) => mode)
)

test('has one section in the performance pages for each mode with results', () => {
  const modes = Object.keys(newestResults(readdirSync('bench/results')))
  expect(marks.toSorted()).toEqual(modes.toSorted())
})
