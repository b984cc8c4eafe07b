/** Checks that the committed reference pages match the output of `npm run docs`. */
import { expect, test } from '@jest/globals'
import { purposeOf } from '../../../docs/generate/files.ts'
import { listTables } from '../../../docs/generate/topics-and-tables.ts'
import { makeReference } from '../../../docs/make-reference.ts'
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

test('takes the purpose of a file from the first sentence of its first comment', () => {
  expect(purposeOf('/** Reads a file. Then more. */\nimport')).toBe('Reads a file.')
  expect(purposeOf('/** RFC 9457 `a/b.json`,\n *  twice. */\n')).toBe('RFC 9457 `a/b.json`, twice.')
  expect(purposeOf('/** Steps\n *\n *     a ─▶ b\n */')).toBe('Steps')
})
