/** Tests when a poll ends, and how many calls of one organization can wait. */
import { expect, test } from '@jest/globals'
import { createPoll, systemTimer } from '../../../api/poll.ts'
import type { PollTimer } from '../../../api/poll.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { problemOf } from './fakes.ts'

/** Creates a timer that advances only during pauses. */
function createFakeTimer(onPause: (pauses: readonly number[]) => void = () => {}) {
  const pauses: number[] = []
  let time = 1000
  const timer: PollTimer = {
    now: () => time,
    pause: async (ms, signal) => {
      if (signal.aborted) return
      pauses.push(ms)
      time += ms
      onPause(pauses)
    }
  }
  return { timer, pauses }
}

const never = new AbortController().signal

function counter() {
  let count = 0
  return () => Promise.resolve((count += 1))
}

test('reads once without a wait', async () => {
  const { timer, pauses } = createFakeTimer()
  const poll = createPoll({ stopping: never, timer })
  expect(
    await poll(counter(), () => false, { organizationId: 'a', waitMs: 0, signal: never })
  ).toBe(1)
  expect(pauses).toEqual([])
})

test('returns at once if the first value is enough', async () => {
  const { timer, pauses } = createFakeTimer()
  const poll = createPoll({ stopping: never, timer })
  expect(
    await poll(counter(), () => true, { organizationId: 'a', waitMs: 30_000, signal: never })
  ).toBe(1)
  expect(pauses).toEqual([])
})

test('reads with growing pauses until the value is enough', async () => {
  const { timer, pauses } = createFakeTimer()
  const poll = createPoll({ stopping: never, timer })
  expect(
    await poll(counter(), (count) => count === 7, {
      organizationId: 'a',
      waitMs: 30_000,
      signal: never
    })
  ).toBe(7)
  expect(pauses).toEqual([100, 150, 225, 337.5, 500, 500])
})

test('returns the last value exactly when the time is over', async () => {
  const { timer, pauses } = createFakeTimer()
  const poll = createPoll({ stopping: never, timer })
  expect(
    await poll(counter(), () => false, { organizationId: 'a', waitMs: 1000, signal: never })
  ).toBe(pauses.length + 1)
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(1000)
})

test.each(['the client disconnects', 'the process shuts down'])('ends when %s', async (who) => {
  const ending = new AbortController()
  const { timer, pauses } = createFakeTimer((all) => {
    if (all.length === 2) ending.abort()
  })
  const isCaller = who.startsWith('the client')
  const poll = createPoll({ stopping: isCaller ? never : ending.signal, timer })
  const signal = isCaller ? ending.signal : never
  expect(await poll(counter(), () => false, { organizationId: 'a', waitMs: 30_000, signal })).toBe(
    2
  )
  expect(pauses).toHaveLength(2)
})

/** Creates calls that wait until `letGo` is called. */
function createWaiting(waitingMax: number) {
  const inside = Promise.withResolvers<void>()
  const timer: PollTimer = { now: () => 0, pause: () => inside.promise }
  const poll = createPoll({ stopping: never, timer, waitingMax })
  let isThere = false
  const read = () => Promise.resolve(isThere)
  const wait = (organizationId: string) =>
    poll(read, Boolean, { organizationId, waitMs: 1000, signal: never })
  const letGo = (): void => {
    isThere = true
    inside.resolve()
  }
  return { poll, read, wait, letGo }
}

test('leaves slots to other organizations when one takes all it may', async () => {
  const { wait, letGo } = createWaiting(10)
  const calls = [wait('a'), wait('a')]
  const refused = await problemOf(wait('a'))
  expect([refused.code, refused.options.headers]).toEqual(['overloaded', { 'retry-after': '1' }])
  expect(refused.options.detail).toContain('2 calls of your organization')
  for (const other of ['b', 'c', 'd', 'e']) calls.push(wait(other), wait(other))
  const full = await problemOf(wait('f'))
  expect(full.options.detail).toContain('10 calls on this instance')
  letGo()
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 10 }, () => true))
})

test('takes a slot only for calls that wait, and releases it afterwards', async () => {
  const { poll, read, wait, letGo } = createWaiting(1)
  const options = { organizationId: 'a', waitMs: 1000, signal: never }
  const first = wait('a')
  expect((await problemOf(wait('a'))).code).toBe('overloaded')
  expect(await poll(read, () => true, options)).toBe(false)
  letGo()
  expect(await first).toBe(true)
  expect(await poll(counter(), (count) => count === 2, options)).toBe(2)
})

test('releases the slot of a failed read', async () => {
  const { timer } = createFakeTimer()
  const poll = createPoll({ stopping: never, timer, waitingMax: 1 })
  for (let time = 0; time < 3; time++) {
    const read = counter()
    const failing = async () => {
      if ((await read()) > 1) throw new Error('unavailable')
      return false
    }
    const waiting = poll(failing, Boolean, { organizationId: 'a', waitMs: 1000, signal: never })
    await expect(waiting).rejects.toThrow('unavailable')
  }
})

test('ends a pause of the system timer when its signal is aborted', async () => {
  const ending = new AbortController()
  const pause = systemTimer.pause(60_000, ending.signal)
  ending.abort()
  await pause
  await systemTimer.pause(60_000, ending.signal)
})

test('limits the waiting calls of one organization to 50 reads a second in total', async () => {
  const pausesOf = async (callers: number): Promise<number> => {
    const pauses: number[] = []
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const timer: PollTimer = {
      now: () => 0,
      pause: (ms) => {
        pauses.push(ms)
        return isOver
      }
    }
    const ending = new AbortController()
    const poll = createPoll({ stopping: ending.signal, timer })
    const options = { organizationId: 'a', waitMs: 30_000, signal: never }
    const waiting = Array.from({ length: callers }, () => poll(counter(), () => false, options))
    await waitUntil('all wait', () => pauses.length === callers)
    ending.abort()
    end()
    await Promise.all(waiting)
    return pauses.at(-1) ?? 0
  }
  expect(await pausesOf(2)).toBe(100)
  expect(await pausesOf(40)).toBe(800)
})
