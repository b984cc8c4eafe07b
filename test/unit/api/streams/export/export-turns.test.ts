/** Exports of one organization take turns, and those of another do not wait behind all of them. */
import { expect, test } from '@jest/globals'
import { createExportTurns } from '../../../../../api/streams/export/export-turns.ts'
import { waitUntil } from '../../../../support/wait-until.ts'

test('however many exports an organization has, one piece of their work runs at once', async () => {
  const inTurn = createExportTurns()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (organizationId: string) =>
    inTurn(organizationId, () => {
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
  expect(begun.filter((whose) => whose === 'a')).toHaveLength(10)
})
