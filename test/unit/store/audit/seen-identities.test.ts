/** Tests the set of identities that an audit has seen, before and after it is full. */
import { expect, test } from '@jest/globals'
import { createSeenIdentities } from '../../../../store/audit/seen-identities.ts'

test('returns true once for each identity, even after growing', () => {
  const seen = createSeenIdentities(200_000)
  const names = Array.from({ length: 100_000 }, (_, index) => `organization/${index}`)
  expect(names.filter((name) => seen.isNew(name))).toHaveLength(100_000)
  expect(names.filter((name) => seen.isNew(name))).toEqual([])
  expect(seen.isFull()).toBe(false)
})

test('still knows its identities when it is full', () => {
  const seen = createSeenIdentities(2)
  expect(['a', 'b', 'c', 'c', 'a'].map((name) => seen.isNew(name))).toEqual([
    ...[true, true, true, true, false]
  ])
  expect(seen.isFull()).toBe(true)
})
