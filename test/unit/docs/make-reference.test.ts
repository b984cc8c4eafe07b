/** The committed reference pages are those that `npm run docs` generates. */
import { expect, test } from '@jest/globals'
import { listTables, makeReference, purposeOf } from '../../../docs/make-reference.ts'
import { read } from '../../docs/pages.ts'

test.each(Object.entries(makeReference()))(
  '%s is up to date (if not, run npm run docs)',
  (path, text) => {
    expect(read(path)).toBe(text)
  }
)

test('every table has a comment (comment on table … is, in a migration)', () => {
  expect(listTables().filter(({ comment }) => comment === null)).toEqual([])
})

test('a purpose is the first sentence of the first comment', () => {
  expect(purposeOf('/** Reads a file. Then more. */\nimport')).toBe('Reads a file.')
  expect(purposeOf('/** RFC 9457 `a/b.json`,\n *  twice. */\n')).toBe('RFC 9457 `a/b.json`, twice.')
  expect(purposeOf('/** Steps\n *\n *     a ─▶ b\n */')).toBe('Steps')
})
