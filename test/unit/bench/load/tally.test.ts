/** Tests that responses are counted in total and by group, and that response times are recorded. */
import { expect, test } from '@jest/globals'
import { createHistogram } from '../../../../bench/load/histogram.ts'
import { answersIn, createTally } from '../../../../bench/load/tally.ts'

test('counts responses in total and by group', () => {
  const tally = createTally()
  tally.answered(202, 1, 'hot')
  tally.answered(202, 2, 'others')
  tally.answered(429, 3, 'hot')
  tally.broken('others')
  tally.answered(202, 4)
  const { statuses, groups } = tally.answers()
  expect(statuses).toEqual({ 0: 1, 202: 3, 429: 1 })
  expect(groups['hot']?.statuses).toEqual({ 202: 1, 429: 1 })
  expect(groups['others']?.statuses).toEqual({ 0: 1, 202: 1 })
  expect(answersIn(statuses)).toBe(5)
})

test('times responses, but not broken connections', () => {
  const tally = createTally()
  tally.answered(202, 8, 'hot')
  tally.broken('hot')
  const { latencies, groups } = tally.answers()
  expect(createHistogram(latencies).percentileMs(1)).toBeCloseTo(8, 0)
  expect(createHistogram(groups['hot']?.latencies).percentileMs(1)).toBeCloseTo(8, 0)
})
