/** Tests the scheduler and its queue, with a clock that advances only with the tasks. */
import { beforeEach, expect, test } from '@jest/globals'
import { createScheduler } from '../../../../http/admission/scheduler.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let clock = 0
let done: number[] = []

beforeEach(() => {
  clock = 1000
  done = []
})

/** Creates a scheduler whose tasks each advance the clock by `costMs`. */
function scene(costMs: number) {
  const ends: number[] = []
  const scheduler = createScheduler({
    sliceMs: 3,
    now: () => clock,
    onEnd: () => ends.push(done.length)
  })
  const come = (name: number): void => {
    scheduler.begin(clock)
    scheduler.take(clock, 'caller', () => {
      done.push(name)
      clock += costMs
    })
  }
  return { scheduler, come, ends }
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

test('runs tasks at once while the time slice lasts', () => {
  const { come } = scene(1)
  for (const name of upTo(3)) come(name)
  expect(done).toEqual([1, 2, 3])
})

test('runs the rest in order, one time slice after another', async () => {
  const { come, ends } = scene(1)
  for (const name of upTo(9)) come(name)
  expect(done).toEqual([1, 2, 3])
  await waitUntil('all are done', () => done.length === 9 && ends.length >= 3)
  expect(done).toEqual(upTo(9))
  expect(ends.slice(0, 3)).toEqual([3, 6, 9])
})

test('no task overtakes the queue', async () => {
  const { come } = scene(3)
  for (const name of upTo(3)) come(name)
  await waitUntil('the second is done', () => done.includes(2))
  come(4)
  await waitUntil('all are done', () => done.length === 4)
  expect(done).toEqual(upTo(4))
})

test('counts promise continuations of a task in its time slice', async () => {
  const ends: number[] = []
  const scheduler = createScheduler({
    sliceMs: 3,
    now: () => clock,
    onEnd: () => ends.push(done.length)
  })
  const come = (name: number): void => {
    scheduler.begin(clock)
    scheduler.take(
      clock,
      'caller',
      () => void Promise.resolve().then(() => (done.push(name), (clock += 3)))
    )
  }
  scheduler.begin(clock)
  clock += 3
  for (const name of upTo(4)) come(name)
  await waitUntil('all are done', () => done.length === 4)
  // The scheduler detects the end of a time slice only after the task that exceeds it.
  expect(Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? 0)))).toBeLessThan(4)
})

test('reports the wait of the first queued task', async () => {
  const { scheduler, come } = scene(2)
  expect(scheduler.waitedMs(clock, 'caller')).toBe(0)
  for (const name of upTo(200)) come(name)
  const cameAt = clock
  expect(scheduler.waitedMs(clock, 'caller')).toBe(0)
  while (done.length < 100) await nextTurn()
  expect(scheduler.waitedMs(clock, 'caller')).toBe(clock - cameAt)
  while (done.length < 200) await nextTurn()
  expect(scheduler.waitedMs(clock, 'caller')).toBe(0)
})
