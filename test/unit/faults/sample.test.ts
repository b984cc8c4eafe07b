/** Tests the sample decisions that the load sends. */
import { expect, test } from '@jest/globals'
import { createRandom } from '../../faults/random.ts'
import { makeSample } from '../../faults/sample.ts'

function contentsOf(seed: number): string[] {
  const random = createRandom(seed)
  return Array.from({ length: 50 }, () => makeSample(random, 'good').fingerprint)
}

test('creates the same contents for the same seed, and different ones for another seed', () => {
  expect(contentsOf(3)).toEqual(contentsOf(3))
  expect(contentsOf(3)).not.toEqual(contentsOf(4))
})

test('includes the id in a decision, and omits the output of an invalid one', () => {
  const good = makeSample(createRandom(1), 'good')
  expect(JSON.parse(good.text)).toMatchObject({
    decision_id: good.decisionId,
    output: expect.any(String)
  })
  expect(makeSample(createRandom(1), 'invalid').text).not.toContain('"output":')
})

test('makes an oversized decision exceed the maximum record but not the maximum body', () => {
  const { length } = makeSample(createRandom(1), 'oversized').text
  expect(length).toBeGreaterThan(4 * 1024 * 1024)
  expect(length).toBeLessThan(10 * 1024 * 1024)
})
