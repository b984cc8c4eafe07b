/** Refusals get a small part of the time; beyond it callers are told to come back later. */
import { expect, test } from '@jest/globals'
import { createRefusalPace } from '../../../../http/admission/refusal-pace.ts'
import type { Pace } from '../../../../http/admission/refusal-pace.ts'

/** Refuses one caller after the other, each taking so long, and returns what the last was told. */
function refuseMany(count: number, eachMs: number): Pace {
  const pace = createRefusalPace()
  let last: Pace = { retryAfterSeconds: 0, pauseMs: 0 }
  for (let at = 0; at < count; at++) {
    pace.arrive(1000 + at * eachMs)
    last = pace.refuse(1000 + at * eachMs)
  }
  return last
}

test('a few refusals pause nobody', () => {
  expect(refuseMany(100, 0.03)).toEqual({ retryAfterSeconds: 1, pauseMs: 0 })
})

test('many in a row are paid with nineteen times the time they took', () => {
  expect(refuseMany(1001, 0.03).pauseMs).toBeCloseTo(19 * 1000 * 0.03, 0)
})

test('a crowd is spread over the time that its refusals take', () => {
  expect(refuseMany(10_001, 0.03)).toEqual({ retryAfterSeconds: 6, pauseMs: 900 })
})

test('nobody is sent away for more than half a minute', () => {
  const { retryAfterSeconds } = refuseMany(100_000, 0.03)
  expect([29, 30]).toContain(retryAfterSeconds)
})

test('half a minute after a flood nothing is left of it', () => {
  const pace = createRefusalPace()
  for (let at = 0; at < 60_000; at += 0.1) {
    pace.arrive(at)
    pace.refuse(at)
  }
  expect(pace.refuse(91_000)).toEqual({ retryAfterSeconds: 1, pauseMs: 0 })
})

test('what is no refusal is not counted as one', () => {
  const pace = createRefusalPace()
  for (let at = 1000; at < 2000; at++) {
    pace.arrive(at)
    pace.refuse(at)
    pace.pause()
  }
  pace.arrive(2000)
  expect(pace.refuse(2000).pauseMs).toBe(0)
})

test('a refusal is never counted as more than a millisecond', () => {
  const pace = createRefusalPace()
  pace.refuse(1000)
  pace.arrive(1900)
  expect(pace.refuse(1900).pauseMs).toBe(0)
})
