/** Tests the memory figures of a steady run. */
import { expect, test } from '@jest/globals'
import { memoryOf } from '../../../../bench/modes/steady.ts'

/**
 * Samples every five seconds for ten minutes. The memory is 100 MiB in the first minute. Then it
 * jumps to 200 MiB and grows by half a MiB per minute.
 */
const samples = Array.from({ length: 120 }, (_, at) => {
  const seconds = (at + 1) * 5
  return { seconds, mib: seconds <= 60 ? 100 : 200 + (seconds / 60) * 0.5 }
})

test('compares the first minute with the last', () => {
  const { first_minute_mib, last_minute_mib } = memoryOf(samples)
  expect(first_minute_mib).toBe(100)
  expect(last_minute_mib).toBeCloseTo(204.8, 0)
})

test('excludes the first minute from the slope', () => {
  expect(memoryOf(samples).slope_mib_per_minute).toBeCloseTo(0.5)
})

test('compares quarters of a shorter run', () => {
  expect(memoryOf(samples.slice(0, 4))).toMatchObject({
    first_minute_mib: 100,
    last_minute_mib: 100,
    slope_mib_per_minute: 0
  })
})
