/** The load's decisions: the same for the same seed, and what their kind says. */
import { expect, test } from '@jest/globals'
import { createRandom } from '../../faults/random.ts'
import { makeSample } from '../../faults/sample.ts'

function contentsOf(seed: number): string[] {
  const random = createRandom(seed)
  return Array.from({ length: 50 }, () => makeSample(random, 'good').fingerprint)
}

test('the same seed makes the same contents, another seed others', () => {
  expect(contentsOf(3)).toEqual(contentsOf(3))
  expect(contentsOf(3)).not.toEqual(contentsOf(4))
})

test('a decision carries its id, and an invalid one lacks its output', () => {
  const good = makeSample(createRandom(1), 'good')
  expect(JSON.parse(good.text)).toMatchObject({
    decision_id: good.decisionId,
    output: expect.any(String)
  })
  expect(makeSample(createRandom(1), 'invalid').text).not.toContain('"output":')
})

test('an oversized one is larger than one record may be, and smaller than a body', () => {
  const { length } = makeSample(createRandom(1), 'oversized').text
  expect(length).toBeGreaterThan(4 * 1024 * 1024)
  expect(length).toBeLessThan(10 * 1024 * 1024)
})
