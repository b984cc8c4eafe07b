/** sendLoad: when what is sent, and what is counted. */
import { expect, test } from '@jest/globals'
import { sendLoad } from '../../../../deploy/load/send-load.ts'
import type { LoadOptions } from '../../../../deploy/load/send-load.ts'

/** Time passes only while somebody sleeps, and then at once. */
function createClock() {
  let now = 0
  return {
    now: () => now,
    sleep: (ms: number) => {
      now += ms
      return Promise.resolve()
    }
  }
}

async function load(options: Partial<LoadOptions>) {
  const clock = createClock()
  const send = async () => await Promise.resolve('acknowledged')
  const { signal } = new AbortController()
  return await sendLoad({ ...{ rate: 10, seconds: 2, send, signal, clock }, ...options })
}

test('so many are sent, evenly over the time', async () => {
  const clock = createClock()
  const sentAt: number[] = []
  const send = async () => {
    sentAt.push(clock.now())
    return await Promise.resolve('acknowledged')
  }
  const { outcomes, elapsedMs, answerTimesMs } = await load({ clock, send })
  expect(sentAt).toEqual(Array.from({ length: 20 }, (_, index) => index * 100))
  expect(outcomes).toEqual(new Map([['acknowledged', 20]]))
  expect({ elapsedMs, answered: answerTimesMs.length }).toEqual({ elapsedMs: 1900, answered: 20 })
})

test('what is refused is counted by its reason, and has no time', async () => {
  const send = async (index: number) =>
    await Promise.resolve(index % 4 === 0 ? 'refused: 429 rate_limited' : 'acknowledged')
  const { outcomes, answerTimesMs } = await load({ send })
  expect(outcomes).toEqual(
    new Map([
      ['refused: 429 rate_limited', 5],
      ['acknowledged', 15]
    ])
  )
  expect(answerTimesMs).toHaveLength(15)
})

test('the slow ones do not hold up the others, until too many are open', async () => {
  let open = 0
  let mostOpen = 0
  const answer = Promise.withResolvers<undefined>()
  const send = async () => {
    open += 1
    mostOpen = Math.max(mostOpen, open)
    if (open === 500) answer.resolve(undefined)
    await answer.promise
    open -= 1
    return 'acknowledged'
  }
  const { outcomes } = await load({ rate: 1000, send })
  expect(mostOpen).toBe(500)
  expect(outcomes.get('acknowledged')).toBe(2000)
})

test('told to end it sends no more, and waits for what is open', async () => {
  const told = new AbortController()
  const send = async (index: number) => {
    if (index === 4) told.abort()
    return await Promise.resolve('acknowledged')
  }
  const { outcomes } = await load({ send, signal: told.signal })
  expect(outcomes).toEqual(new Map([['acknowledged', 5]]))
})
