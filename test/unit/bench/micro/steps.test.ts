/** The hot steps that are measured alone: each of them runs. */
import { expect, test } from '@jest/globals'
import { makeSteps } from '../../../../bench/micro/steps.ts'

test.each(makeSteps())('$name works on one decision after the other', ({ run }) => {
  expect(() => [0, 1, 2].map(run)).not.toThrow()
})
