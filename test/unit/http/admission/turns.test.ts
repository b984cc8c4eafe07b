/** Turns and the line behind them, on a clock that stands until a task moves it. */
import { beforeEach, expect, test } from '@jest/globals'
import { createTurns } from '../../../../http/admission/turns.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let clock = 0
let done: number[] = []

beforeEach(() => {
  clock = 1000
  done = []
})

/** Each task takes `costMs` of the clock. */
function scene(costMs: number) {
  const ends: number[] = []
  const turns = createTurns({ turnMs: 3, now: () => clock, onEnd: () => ends.push(done.length) })
  const come = (name: number): void => {
    turns.begin(clock)
    turns.take(clock, 'somebody', () => {
      done.push(name)
      clock += costMs
    })
  }
  return { turns, come, ends }
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

test('what comes while there is time is done at once', () => {
  const { come } = scene(1)
  for (const name of upTo(3)) come(name)
  expect(done).toEqual([1, 2, 3])
})

test('the rest is done in its order, a turn at a time', async () => {
  const { come, ends } = scene(1)
  for (const name of upTo(9)) come(name)
  expect(done).toEqual([1, 2, 3])
  await waitUntil('all is done', () => done.length === 9 && ends.length >= 3)
  expect(done).toEqual(upTo(9))
  expect(ends.slice(0, 3)).toEqual([3, 6, 9])
})

test('nothing overtakes the line', async () => {
  const { come } = scene(3)
  for (const name of upTo(3)) come(name)
  await waitUntil('the second is done', () => done.includes(2))
  come(4)
  await waitUntil('all is done', () => done.length === 4)
  expect(done).toEqual(upTo(4))
})

test('what a task does in promises belongs to its turn', async () => {
  const ends: number[] = []
  const turns = createTurns({ turnMs: 3, now: () => clock, onEnd: () => ends.push(done.length) })
  const come = (name: number): void => {
    turns.begin(clock)
    turns.take(
      clock,
      'somebody',
      () => void Promise.resolve().then(() => (done.push(name), (clock += 3)))
    )
  }
  turns.begin(clock)
  clock += 3
  for (const name of upTo(4)) come(name)
  await waitUntil('all is done', () => done.length === 4)
  // A turn is over once the clock says so, which the task after the first is told.
  expect(Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? 0)))).toBeLessThan(4)
})

test('the wait is that of the first in line', async () => {
  const { turns, come } = scene(2)
  expect(turns.waitedMs(clock, 'somebody')).toBe(0)
  for (const name of upTo(200)) come(name)
  const cameAt = clock
  expect(turns.waitedMs(clock, 'somebody')).toBe(0)
  while (done.length < 100) await nextTurn()
  expect(turns.waitedMs(clock, 'somebody')).toBe(clock - cameAt)
  while (done.length < 200) await nextTurn()
  expect(turns.waitedMs(clock, 'somebody')).toBe(0)
})
