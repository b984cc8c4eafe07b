/** Tests the schedule and the counts of the load. */
import { expect, test } from '@jest/globals'
import { sendLoad } from '../../../../deploy/load/send-load.ts'
import type { LoadOptions } from '../../../../deploy/load/send-load.ts'

/** Creates a clock that advances only in `sleep`, without waiting. */
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

test('sends decisions evenly over the time', async () => {
  const clock = createClock()
  const sentAt: number[] = []
  const send = async () => {
    sentAt.push(clock.now())
    return await Promise.resolve('acknowledged')
  }
  const { outcomes, elapsedMs, responseTimesMs } = await load({ clock, send })
  expect(sentAt).toEqual(Array.from({ length: 20 }, (_, index) => index * 100))
  expect(outcomes).toEqual(new Map([['acknowledged', 20]]))
  expect({ elapsedMs, answered: responseTimesMs.length }).toEqual({ elapsedMs: 1900, answered: 20 })
})

test('counts rejections by reason, without response times', async () => {
  const send = async (index: number) =>
    await Promise.resolve(index % 4 === 0 ? 'rejected: 429 rate_limited' : 'acknowledged')
  const { outcomes, responseTimesMs } = await load({ send })
  expect(outcomes).toEqual(
    new Map([
      ['rejected: 429 rate_limited', 5],
      ['acknowledged', 15]
    ])
  )
  expect(responseTimesMs).toHaveLength(15)
})

test('does not delay other requests for slow ones, up to the limit of open requests', async () => {
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

test('stops when aborted, after the open requests', async () => {
  const stopping = new AbortController()
  const send = async (index: number) => {
    if (index === 4) stopping.abort()
    return await Promise.resolve('acknowledged')
  }
  const { outcomes } = await load({ send, signal: stopping.signal })
  expect(outcomes).toEqual(new Map([['acknowledged', 5]]))
})
