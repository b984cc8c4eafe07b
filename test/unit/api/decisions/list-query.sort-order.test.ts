/** Tests the parsing of the sort orders of decision lists. */
import { expect, test } from '@jest/globals'
import { readSortOrder } from '../../../../api/decisions/list-query.ts'

test.each([
  ['-received_at', { kind: 'time', descending: true }],
  ['received_at', { kind: 'time', descending: false }],
  ['-latency_ms', { kind: 'measure', descending: true, measure: 'latency_ms' }],
  ['score:a:-b', { kind: 'score', descending: false, name: 'a:-b' }]
])('reads %s', (text, order) => {
  expect(readSortOrder(text)).toEqual(order)
})

test.each(['', '-', '--received_at', 'input', 'score:', `score:${'n'.repeat(256)}`])(
  'refuses "%s"',
  (text) => {
    expect(readSortOrder(text)).toBeNull()
  }
)
