/** Tests the differences between samples, with confidence intervals and significance. */
import { describe, expect, test } from '@jest/globals'
import { compareMeans, compareRates } from '../../../../api/profiles/compare-versions.ts'

function rounded(ci: readonly number[] | null) {
  return ci?.map((end) => Number(end.toFixed(4))) ?? null
}

describe('rates', () => {
  test('match the table of Newcombe, 1998', () => {
    const { delta, ci, significant } = compareRates({ part: 48, n: 80 }, { part: 56, n: 70 })
    expect(delta).toBeCloseTo(0.2)
    expect(rounded(ci)).toEqual([0.0524, 0.3339])
    expect(significant).toBe(true)
    const none = compareRates({ part: 0, n: 10 }, { part: 0, n: 10 })
    expect([rounded(none.ci), none.significant]).toEqual([[-0.2775, 0.2775], false])
  })

  test('are not compared if a sample is empty', () => {
    expect(compareRates({ part: 0, n: 0 }, { part: 1, n: 2 })).toEqual({
      a: { value: null, n: 0 },
      b: { value: 0.5, n: 2 },
      ...{ delta: null, ci: null, significant: null }
    })
  })
})

describe('means', () => {
  const a = { n: 100, mean: 10, deviation: 2 }

  test.each([
    [{ n: 100, mean: 11, deviation: 2 }, 1, [0.4456, 1.5544], true],
    [{ n: 100, mean: 10.2, deviation: 2 }, 0.2, [-0.3544, 0.7544], false],
    [{ n: 5, mean: 20, deviation: 2 }, 10, null, null],
    [{ n: 1, mean: 20, deviation: null }, 10, null, null],
    [{ n: 0, mean: null, deviation: null }, null, null, null]
  ])('of %j', (b, delta, ci, significant) => {
    const compared = compareMeans(a, b)
    expect(compared.delta === null ? null : Number(compared.delta.toFixed(6))).toBe(delta)
    expect([rounded(compared.ci), compared.significant]).toEqual([ci, significant])
  })
})
