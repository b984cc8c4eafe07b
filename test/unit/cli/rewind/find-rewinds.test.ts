/** Where a group has to go back to, and what is lost all the same. */
import { expect, test } from '@jest/globals'
import { findRewinds } from '../../../../cli/rewind/find-rewinds.ts'

const place = { group: 'sluice-storage', topic: 'agent-decisions', partition: 3 }

test.each([
  ['ahead of the database goes back', [90n, 40n, 0n], { target: 40n, messages: 50n, gone: 0n }],
  ['unknown to the database begins anew', [90n, null, 0n], { target: 0n, messages: 90n, gone: 0n }],
  ['goes no further than the topic', [90n, 40n, 60n], { target: 60n, messages: 30n, gone: 20n }],
  ['of which all is gone reads nothing', [90n, 40n, 95n], { target: 95n, messages: 0n, gone: 55n }],
  ['behind the database stays', [40n, 90n, 0n], null],
  ['at the same place stays', [40n, 40n, 0n], null],
  ['that never committed stays', [-1n, 40n, 0n], null],
  ['behind a gap tells of it', [40n, 50n, 60n], { target: 60n, messages: 0n, gone: 10n }],
  ['whose offsets expired as well', [-1n, 40n, 60n], { target: 60n, messages: 0n, gone: 20n }],
  ['that has read all there was stays', [60n, 60n, 60n], null]
] as const)('a group %s', (_what, [committed, recorded, begin], expected) => {
  const standing = { ...place, committed, recorded, begin, end: 100n }
  const rewind = expected === null ? [] : [{ ...standing, ...expected }]
  expect(findRewinds([standing])).toEqual(rewind)
})

test.each([
  ['is read whole', [30n, 90n, 0n, 50n], { target: 0n, messages: 30n, gone: 0n }],
  ['has a gap of its own', [30n, 90n, 20n, 50n], { target: 20n, messages: 10n, gone: 20n }],
  ['nobody has read is read whole anyway', [-1n, 90n, 0n, 50n], null]
] as const)('a topic made anew %s', (_what, [committed, recorded, begin, end], expected) => {
  const standing = { ...place, committed, recorded, begin, end }
  const rewind = expected === null ? [] : [{ ...standing, ...expected }]
  expect(findRewinds([standing])).toEqual(rewind)
})
