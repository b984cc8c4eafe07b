/** Identities met before, in little memory. */
import { expect, test } from '@jest/globals'
import { createSeenIdentities } from '../../../../cli/audit/seen-identities.ts'

test('each is new once, also when it has grown', () => {
  const seen = createSeenIdentities(200_000)
  const names = Array.from({ length: 100_000 }, (_, index) => `organization/${index}`)
  expect(names.filter((name) => seen.isNew(name))).toHaveLength(100_000)
  expect(names.filter((name) => seen.isNew(name))).toEqual([])
  expect(seen.isFull()).toBe(false)
})

test('when it is full, those it knows are known, and it says that it is full', () => {
  const seen = createSeenIdentities(2)
  expect(['a', 'b', 'c', 'c', 'a'].map((name) => seen.isNew(name))).toEqual([
    ...[true, true, true, true, false]
  ])
  expect(seen.isFull()).toBe(true)
})
