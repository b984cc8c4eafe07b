/** Tests how a verdict is derived from several scores. */
import { expect, test } from '@jest/globals'
import { verdictOf } from '../../../../core/evaluation/evaluation.ts'
import { aScore } from '../../../support/builders.ts'

test.each([
  [[], 'none'],
  [[null], 'none'],
  [[null, null], 'none'],
  [[true], 'pass'],
  [[true, true, null], 'pass'],
  [[false], 'fail'],
  [[null, false, false], 'fail'],
  [[true, false], 'mixed'],
  [[false, null, true], 'mixed']
])('of %j is %s', (passed, verdict) => {
  expect(verdictOf(passed.map((each) => aScore({ passed: each })))).toBe(verdict)
})
