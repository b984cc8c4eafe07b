/** Tests that each step of --micro runs on successive decisions. */
import { expect, test } from '@jest/globals'
import { makeSteps } from '../../../../bench/micro/steps.ts'

test.each(makeSteps())('runs $name on successive decisions', ({ run }) => {
  expect(() => [0, 1, 2].map(run)).not.toThrow()
})
