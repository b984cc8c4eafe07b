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
  ['that never committed stays', [-1n, 40n, 0n], null]
] as const)('a group %s', (_what, [committed, recorded, begin], expected) => {
  const standing = { ...place, committed, recorded, begin }
  const rewind = expected === null ? [] : [{ ...standing, ...expected }]
  expect(findRewinds([standing])).toEqual(rewind)
})
