/** Tests that loops are found at any position and in linear time. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { longestLoop } from '../../../../evaluators/heuristics/loops.ts'

const limits = { periodMax: 30, lengthMin: 8 }

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

test('finds a loop at the beginning, in the middle and at the end', () => {
  const loop = [901, 902, 901, 902, 901, 902, 901, 902, 901, 902]
  const expected = { period: 2, length: 10 }
  expect(longestLoop([...loop, ...numbers(50)], limits)).toEqual(expected)
  expect(longestLoop([...numbers(50), ...loop, ...numbers(50)], limits)).toEqual(expected)
  expect(longestLoop([...numbers(50), ...loop], limits)).toEqual(expected)
})

test('reports the shortest repeated sequence', () => {
  expect(longestLoop(new Array<number>(40).fill(7), limits)).toEqual({ period: 1, length: 40 })
})

test('ignores a longer sequence that occurs only twice', () => {
  const twice = [...numbers(25), ...numbers(25)]
  expect(longestLoop(twice, limits)).toBeNull()
  const loop = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3].map((number) => number + 500)
  expect(longestLoop([...twice, ...loop], limits)).toEqual({ period: 3, length: 12 })
})

test('requires four repetitions of a short sequence and three of a long one', () => {
  const long = numbers(20)
  expect(longestLoop([...long, ...long, ...long], limits)).toEqual({ period: 20, length: 60 })
  const short = numbers(5)
  expect(longestLoop([...short, ...short, ...short], limits)).toBeNull()
})

test('finds nothing in an empty text', () => {
  expect(longestLoop([], limits)).toBeNull()
  expect(longestLoop([1], limits)).toBeNull()
})

/**
 * Finds loops by comparing, for every sequence length, each unit with the one that many units
 * earlier.
 */
function plainLongestLoop(units: readonly number[]): object | null {
  const loops = numbers(limits.periodMax + 1).flatMap((period) => {
    let run = 0
    const runs = units.map((unit, at) => (run = unit === units[at - period] ? run + 1 : 0))
    const length = Math.max(0, ...runs) + period
    const repeatsMin = period >= 20 ? 3 : 4
    const isLoop = period > 0 && length >= limits.lengthMin && length >= period * repeatsMin
    return isLoop ? [{ period, length }] : []
  })
  return loops.toSorted((one, other) => other.length - one.length)[0] ?? null
}

test('finds the same loops as a plain implementation', () => {
  const unit = fc.nat(2)
  const loop = fc
    .tuple(fc.array(unit, { maxLength: 35 }), fc.integer({ min: 1, max: 6 }))
    .map(([stretch, times]) => Array.from({ length: times }, () => stretch).flat())
  const units = fc.array(fc.oneof(loop, fc.array(unit)), { maxLength: 6 })
  const property = fc.property(units, (parts) => {
    expect(longestLoop(parts.flat(), limits)).toEqual(plainLongestLoop(parts.flat()))
  })
  fc.assert(property, { seed: 20_261_123, numRuns: 1000 })
})

/** Returns how many times `longestLoop` reads a unit. */
function readsFor(units: number[]): number {
  let reads = 0
  const counting = new Proxy(units, {
    get: (target, name) => {
      if (name !== 'length') reads++
      return Reflect.get(target, name) as unknown
    }
  })
  longestLoop(counting, limits)
  return reads
}

test.each([
  ['all equal', (count: number) => new Array<number>(count).fill(1)],
  ['all different', numbers],
  ['almost a loop', (count: number) => numbers(count).map((at) => (at % 30 === 29 ? at : at % 30))]
])('at most doubles the work for twice the text: %s', (_, make) => {
  expect(readsFor(make(4000))).toBeLessThanOrEqual(2.05 * readsFor(make(2000)))
  expect(readsFor(make(4000))).toBeLessThanOrEqual(2 * limits.periodMax * 4000)
})
