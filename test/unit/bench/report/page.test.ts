/** Figures on the page. */
import { expect, test } from '@jest/globals'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillSection, newestResults, renderPage } from '../../../../bench/report/page.ts'

test('takes the newest results of each kind', () => {
  const files = ['2026-02-01-steady.json', '2026-01-01-steady.json', '2026-01-01-hot-agent.json']
  expect(newestResults([...files, 'notes.md', '2026-01-01.json'])).toEqual({
    steady: '2026-02-01-steady.json',
    'hot-agent': '2026-01-01-hot-agent.json'
  })
})

test('replaces what is between the marks, and only that', () => {
  const page = 'a\n<!-- bench: steady -->\n\nold\n\n<!-- end: steady -->\nb\n'
  const filled = fillSection(page, 'steady', ['| new |'])
  expect(filled).toBe('a\n<!-- bench: steady -->\n\n| new |\n\n<!-- end: steady -->\nb\n')
  expect(fillSection(filled ?? '', 'steady', ['| new |'])).toBe(filled)
})

test('says when the page has no such place', () => {
  expect(fillSection('nothing', 'steady', [])).toBeNull()
})

test('a section says when and on what it was measured', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'))
  const page = join(folder, 'page.md')
  writeFileSync(page, '<!-- bench: steady --><!-- end: steady -->')
  const machine = { cores: 2, processor: 'A chip', memory_gib: 4, node: 'v24.1.0' }
  const results = { at: '2026-02-01T10:00:00Z', mode: 'steady', machine, page: ['| flat |'] }
  writeFileSync(join(folder, '2026-02-01-steady.json'), JSON.stringify(results))
  writeFileSync(join(folder, '2026-02-01-other.json'), JSON.stringify(results))
  expect(renderPage(folder, page)).toEqual([
    '2026-02-01-other.json has no place on the page.',
    'steady: the tables of 2026-02-01-steady.json'
  ])
  const sentence = 'Measured on 2026-02-01: 2 cores (A chip), Node v24.1.0.'
  expect(readFileSync(page, 'utf8')).toContain(`${sentence}\n\n| flat |`)
})

test.each(['compare', 'steady', 'overload', 'hot-agent', 'fairness', 'micro', 'profile'])(
  'the page has %s',
  (mode) => {
    const page = readFileSync('docs/performance.md', 'utf8')
    expect(fillSection(page, mode, ['x'])).not.toBeNull()
  }
)
