/** Tests that an organization with a lot of work delays only its own work. */
import { describe, expect, test } from '@jest/globals'
import { createFairShare } from '../../../../http/admission/fair-share.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const patient = { what: 'reads', waitingMax: 100, waitMsMax: 60_000 }

test('runs the work of an organization in order, with a limit', async () => {
  const inShare = createFairShare({ atOnceMax: 2, ...patient })
  const begun: number[] = []
  const ends = [1, 2, 3, 4].map((number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = inShare('a', async () => {
      begun.push(number)
      await promise
      return number
    })
    return { resolve, done }
  })
  expect(begun).toEqual([1, 2])
  ends[1]?.resolve()
  expect(await ends[1]?.done).toBe(2)
  await waitUntil('the third has started', () => begun.length === 3)
  expect(begun).toEqual([1, 2, 3])
  for (const { resolve } of ends) resolve()
  expect(await Promise.all(ends.map(({ done }) => done))).toEqual([1, 2, 3, 4])
  expect(begun).toEqual([1, 2, 3, 4])
})

test('an organization that uses its whole share does not delay others', async () => {
  const inShare = createFairShare({ atOnceMax: 1, ...patient })
  const { promise, resolve } = Promise.withResolvers<string>()
  const busy = inShare('a', () => promise)
  expect(await inShare('b', async () => 'served')).toBe('served')
  resolve('ended')
  expect(await busy).toBe('ended')
})

test('failed work frees its slot', async () => {
  const inShare = createFairShare({ atOnceMax: 1, ...patient })
  await expect(inShare('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inShare('a', async () => 'next')).toBe('next')
})

test('rejects work that has waited too long', async () => {
  const inShare = createFairShare({ atOnceMax: 1, ...patient, waitMsMax: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const busy = inShare('a', () => promise)
  const begun: string[] = []
  const late = inShare('a', async () => void begun.push('late'))
  await expect(late).rejects.toThrow(expect.objectContaining({ code: 'overloaded' }))
  resolve()
  await busy
  await inShare('a', async () => void begun.push('next'))
  expect(begun).toEqual(['next'])
})

test('rejects work at once when too much is waiting, per organization', async () => {
  const inShare = createFairShare({ what: 'reads', atOnceMax: 1, waitingMax: 2 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const taken = [1, 2, 3].map(() => inShare('a', () => promise))
  const refused = inShare('a', () => promise)
  await expect(refused).rejects.toThrow(expect.objectContaining({ code: 'overloaded' }))
  await expect(refused).rejects.toThrow('too many reads in progress')
  expect(await inShare('b', async () => 'served')).toBe('served')
  resolve()
  await Promise.all(taken)
  expect(await inShare('a', async () => 'free again')).toBe('free again')
})

describe('a slot', () => {
  function scene(has: boolean) {
    const begun: number[] = []
    const inShare = createFairShare({
      atOnceMax: 1,
      ...patient,
      activeOrganizations: { has: () => has }
    })
    const run = (number: number): Promise<void> =>
      inShare('a', async () => {
        begun.push(number)
        const endsAt = performance.now() + 5
        while (performance.now() < endsAt);
      })
    return { begun, run }
  }

  test('pauses after its work while other organizations call', async () => {
    const { begun, run } = scene(true)
    await run(1)
    const next = run(2)
    expect(begun).toEqual([1])
    await next
    expect(begun).toEqual([1, 2])
  })

  test('does not pause when no other organization calls', async () => {
    const { begun, run } = scene(false)
    await run(1)
    const next = run(2)
    expect(begun).toEqual([1, 2])
    await next
  })
})

test('gives each network fewer waiting places when many networks wait', async () => {
  const limits = { ...patient, waitingMax: 10, waitingOfAllMax: 20 }
  const inShare = createFairShare({ atOnceMax: 1, ...limits })
  const { promise, resolve } = Promise.withResolvers<void>()
  const refusedOf = async (key: string): Promise<number> => {
    let refused = 0
    for (let time = 0; time < 20; time++) {
      inShare(key, () => promise).catch(() => (refused += 1))
    }
    await new Promise(setImmediate)
    return refused
  }
  const refused = []
  for (const key of ['a', 'b', 'c', 'd', 'e']) refused.push(await refusedOf(key))
  // One task of each network runs. The first two networks have 10 waiting tasks each, the others 6,
  // 5 and 4.
  expect(refused).toEqual([9, 9, 13, 14, 15])
  resolve()
})

test('runs fewer tasks concurrently while others call, and all in the end', async () => {
  let isAlone = true
  const activeOrganizations = { has: () => !isAlone }
  const pause = () => 0
  const limits = { atOnceMax: 2, contendedMax: 1, activeOrganizations, pause }
  const inShare = createFairShare({ ...patient, ...limits })
  const begun: number[] = []
  const works = [1, 2, 3, 4, 5].map((number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { number, promise, resolve }
  })
  const ends = works.map(({ number, promise }) =>
    inShare('a', async () => {
      begun.push(number)
      await promise
    })
  )
  expect(begun).toEqual([1, 2])
  isAlone = false
  works[0]?.resolve()
  await ends[0]
  expect(begun).toEqual([1, 2])
  isAlone = true
  works[1]?.resolve()
  await waitUntil('two more have started', () => begun.length === 4)
  for (const { resolve } of works) resolve()
  await Promise.all(ends)
  expect(begun).toEqual([1, 2, 3, 4, 5])
})
