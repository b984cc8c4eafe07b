/** Tests the offsets to which groups are reset, and the count of lost messages. */
import { expect, test } from '@jest/globals'
import { findRewinds } from '../../../../cli/rewind/find-rewinds.ts'

const place = { group: 'sluice-storage', topic: 'agent-decisions', partition: 3 }

test.each([
  ['ahead of the database is reset', [90n, 40n, 0n], { target: 40n, messages: 50n, lost: 0n }],
  [
    'unknown to the database starts from the beginning',
    [90n, null, 0n],
    { target: 0n, messages: 90n, lost: 0n }
  ],
  [
    'is reset no further than the start of the topic',
    [90n, 40n, 60n],
    { target: 60n, messages: 30n, lost: 20n }
  ],
  [
    'reads nothing again if all messages are lost',
    [90n, 40n, 95n],
    { target: 95n, messages: 0n, lost: 55n }
  ],
  ['behind the database is not moved', [40n, 90n, 0n], null],
  ['at the position of the database is not moved', [40n, 40n, 0n], null],
  ['without committed offsets is not moved', [-1n, 40n, 0n], null],
  ['behind a gap reports lost messages', [40n, 50n, 60n], { target: 60n, messages: 0n, lost: 10n }],
  [
    'with expired offsets reports lost messages',
    [-1n, 40n, 60n],
    { target: 60n, messages: 0n, lost: 20n }
  ],
  ['that has read everything is not moved', [60n, 60n, 60n], null]
] as const)('a group %s', (_what, [committed, recorded, begin], expected) => {
  const position = { ...place, committed, recorded, begin, end: 100n }
  const rewind = expected === null ? [] : [{ ...position, ...expected }]
  expect(findRewinds([position])).toEqual(rewind)
})

test.each([
  ['is read from the start', [30n, 90n, 0n, 50n], { target: 0n, messages: 30n, lost: 0n }],
  [
    'reports its own lost messages',
    [30n, 90n, 20n, 50n],
    { target: 20n, messages: 10n, lost: 20n }
  ],
  ['that no group has read is not reset', [-1n, 90n, 0n, 50n], null]
] as const)('a recreated topic %s', (_what, [committed, recorded, begin, end], expected) => {
  const position = { ...place, committed, recorded, begin, end }
  const rewind = expected === null ? [] : [{ ...position, ...expected }]
  expect(findRewinds([position])).toEqual(rewind)
})
