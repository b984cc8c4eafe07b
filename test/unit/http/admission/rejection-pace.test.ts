/** Tests that rejections use only a small part of the processing time. */
import { expect, test } from '@jest/globals'
import { createRejectionPace } from '../../../../http/admission/rejection-pace.ts'
import type { Pace } from '../../../../http/admission/rejection-pace.ts'

/**
 * Rejects `count` callers one after another, each in `eachMs` milliseconds. Returns the pace after
 * the last one.
 */
function refuseMany(count: number, eachMs: number): Pace {
  const pace = createRejectionPace()
  let last: Pace = { retryAfterSeconds: 0, pauseMs: 0 }
  for (let at = 0; at < count; at++) {
    pace.arrive(1000 + at * eachMs)
    last = pace.reject(1000 + at * eachMs)
  }
  return last
}

test('a few rejections cause no pause', () => {
  expect(refuseMany(100, 0.03)).toEqual({ retryAfterSeconds: 1, pauseMs: 0 })
})

test('many rejections in a row pause for nineteen times their own time', () => {
  expect(refuseMany(1001, 0.03).pauseMs).toBeCloseTo(19 * 1000 * 0.03, 0)
})

test('spreads a crowd over the time that its rejections take', () => {
  expect(refuseMany(10_001, 0.03)).toEqual({ retryAfterSeconds: 6, pauseMs: 900 })
})

test('limits Retry-After to half a minute', () => {
  const { retryAfterSeconds } = refuseMany(100_000, 0.03)
  expect([29, 30]).toContain(retryAfterSeconds)
})

test('has no debt half a minute after the rejections end', () => {
  const pace = createRejectionPace()
  for (let at = 0; at < 60_000; at += 0.1) {
    pace.arrive(at)
    pace.reject(at)
  }
  expect(pace.reject(91_000)).toEqual({ retryAfterSeconds: 1, pauseMs: 0 })
})

test('does not count other work as rejections', () => {
  const pace = createRejectionPace()
  for (let at = 1000; at < 2000; at++) {
    pace.arrive(at)
    pace.reject(at)
    pace.ignoreElapsed()
  }
  pace.arrive(2000)
  expect(pace.reject(2000).pauseMs).toBe(0)
})

test('counts at most a millisecond per rejection', () => {
  const pace = createRejectionPace()
  pace.reject(1000)
  pace.arrive(1900)
  expect(pace.reject(1900).pauseMs).toBe(0)
})
