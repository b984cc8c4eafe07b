/** Columns line up, and nothing trails. */
import { expect, test } from '@jest/globals'
import { layOut } from '../../../core/lay-out.ts'

test('each column is as wide as its widest cell', () => {
  expect(layOut([['id', 'agent'], ['1234', 'a'], ['5']])).toEqual(['id    agent', '1234  a', '5'])
})
