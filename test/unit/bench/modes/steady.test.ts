/** The memory of a steady run. */
import { expect, test } from '@jest/globals'
import { memoryOf } from '../../../../bench/modes/steady.ts'

/** Ten minutes, sampled every five seconds: warm after one, then half a MiB more each minute. */
const samples = Array.from({ length: 120 }, (_, at) => {
  const seconds = (at + 1) * 5
  return { seconds, mib: seconds <= 60 ? 100 : 200 + (seconds / 60) * 0.5 }
})

test('compares the first minute with the last', () => {
  const { first_minute_mib, last_minute_mib } = memoryOf(samples)
  expect(first_minute_mib).toBe(100)
  expect(last_minute_mib).toBeCloseTo(204.8, 0)
})

test('leaves the first minute out of the slope', () => {
  expect(memoryOf(samples).slope_mib_per_minute).toBeCloseTo(0.5)
})

test('a shorter run has shorter edges', () => {
  expect(memoryOf(samples.slice(0, 4))).toMatchObject({
    first_minute_mib: 100,
    last_minute_mib: 100,
    slope_mib_per_minute: 0
  })
})
