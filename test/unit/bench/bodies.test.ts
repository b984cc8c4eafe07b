/** What the rows are sent. */
import { expect, test } from '@jest/globals'
import { makeDecisions, shapes } from '../../../bench/bodies.ts'
import { createCheck } from '../../../platform/json-schema.ts'
import { decisionBodySchema } from '../../../schemas/index.ts'

test('is the same in each run', () => {
  expect(shapes.decision.makeBodies()).toEqual(shapes.decision.makeBodies())
})

test('is valid by the contract', () => {
  const check = createCheck(decisionBodySchema)
  expect(makeDecisions().flatMap((decision) => check(decision))).toEqual([])
})

test('has about 1.2 kB and many agents', () => {
  const sizes = shapes.decision.makeBodies().map((body) => body.length)
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  expect(mean).toBeGreaterThan(1100)
  expect(mean).toBeLessThan(1300)
  expect(new Set(makeDecisions().map(({ agent_id }) => agent_id)).size).toBe(50)
})
