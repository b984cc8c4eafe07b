/** Tests that a step runs for each item: a problem replaces its item, and other errors are thrown.
 */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { admit, each, eachYielding, rejectEach } from '../../../../gateway/ingest/each.ts'
import { quota } from './fakes.ts'

const invalid = new Problem('invalid_decision', { detail: 'No.' })
const limited = new Problem('rate_limited', { detail: 'No.' })

test('replaces a rejected item by its problem and continues with the others', () => {
  const results = each([1, 2, 3], (item) => {
    if (item === 2) throw invalid
    return item * 10
  })
  expect(results).toEqual([10, invalid, 30])
})

test('gives the same result when it yields between items', async () => {
  const seen: [number, number][] = []
  const results = await eachYielding([1, invalid, 2], (item, index) => {
    seen.push([item, index])
    if (item === 2) throw limited
    return item * 10
  })
  expect(results).toEqual([10, invalid, limited])
  expect(seen).toEqual([
    [1, 0],
    [2, 2]
  ])
})

test('skips rejected items and keeps their index', () => {
  const seen: [number, number][] = []
  each([invalid, 5], (item, index) => seen.push([item, index]))
  expect(seen).toEqual([[5, 1]])
})

test('throws errors that are not problems', () => {
  const bug = new TypeError('a bug')
  const step = () => {
    throw bug
  }
  expect(() => each([1], step)).toThrow(bug)
})

test('admits the first granted items, counts invalid ones, and rejects the rest', () => {
  const granted = { ...quota, granted: 2, problem: limited }
  expect(admit([1, invalid, 3, invalid], granted)).toEqual([1, invalid, limited, invalid])
  expect(admit([1, 2], quota)).toEqual([1, 2])
})

test('rejects items by a synchronous or asynchronous check', async () => {
  const problemOf = (item: number) => (item === 1 ? limited : null)
  expect(await rejectEach([1, invalid, 3], problemOf)).toEqual([limited, invalid, 3])
  const late = (item: number) => Promise.resolve(problemOf(item))
  expect(await rejectEach([1, invalid, 3], late)).toEqual([limited, invalid, 3])
})
