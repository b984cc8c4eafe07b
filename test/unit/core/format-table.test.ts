/** Tests that table columns are aligned without trailing spaces. */
import { expect, test } from '@jest/globals'
import { formatTable } from '../../../core/format-table.ts'

test('each column is as wide as its widest cell', () => {
  expect(formatTable([['id', 'agent'], ['1234', 'a'], ['5']])).toEqual([
    'id    agent',
    '1234  a',
    '5'
  ])
})
