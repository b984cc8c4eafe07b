/** Refusals get a fifth of the time; beyond it callers are left unread. */
import { expect, test } from '@jest/globals'
import { createRefusalPace } from '../../../gateway/refusal-pace.ts'

/** Refuses one caller after the other, each taking so long, and returns the last pause. */
function refuseMany(count: number, eachMs: number): number {
  const pace = createRefusalPace()
  let pause = 0
  for (let at = 0; at < count; at++) {
    pace.arrive(1000 + at * eachMs)
    pause = pace.refuse(1000 + at * eachMs)
  }
  return pause
}

test('a few refusals pause nobody', () => {
  expect(refuseMany(100, 0.03)).toBe(0)
})

test('many in a row are paid with four times the time they took', () => {
  const pause = refuseMany(1001, 0.03)
  expect(pause).toBeCloseTo(4 * 1000 * 0.03, 0)
})

test('nobody is left unread for longer than Retry-After says', () => {
  expect(refuseMany(100_000, 0.03)).toBe(1000)
})

test('what is no refusal is not counted as one', () => {
  const pace = createRefusalPace()
  for (let at = 1000; at < 2000; at++) {
    pace.arrive(at)
    pace.refuse(at)
    pace.pause()
  }
  pace.arrive(2000)
  expect(pace.refuse(2000)).toBe(0)
})

test('a refusal is never counted as more than a millisecond', () => {
  const pace = createRefusalPace()
  pace.refuse(1000)
  pace.arrive(1900)
  expect(pace.refuse(1900)).toBe(0)
})
