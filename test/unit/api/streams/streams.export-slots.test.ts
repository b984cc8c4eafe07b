/** Tests that export work is limited per organization, so that one organization's exports do not
 * delay others.
 */
import { expect, test } from '@jest/globals'
import { createExportSlots } from '../../../../api/streams/streams.ts'
import { waitUntil } from '../../../support/wait-until.ts'

test('runs one piece of work at a time for all exports of an organization', async () => {
  const runInSlot = createExportSlots()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (organizationId: string) =>
    runInSlot(organizationId, () => {
      begun.push(organizationId)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = Array.from({ length: 10 }, () => work('a'))
  all.push(work('b'), work('c'), work('d'))
  await waitUntil('three have begun', () => begun.length >= 3)
  expect(begun).toEqual(['a', 'b', 'c'])
  ends.shift()?.()
  await waitUntil('the next has begun', () => begun.length >= 4)
  expect(begun.slice(3)).toEqual(['d'])
  for (let ended = 1; ended < all.length; ended++) {
    await waitUntil('one runs', () => ends.length > 0)
    ends.shift()?.()
  }
  await Promise.all(all)
  expect(begun.filter((id) => id === 'a')).toHaveLength(10)
})
