/** Steps over items: a refusal keeps its place, and a bug is no refusal. */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { admit, each, eachInTurns, refuseEach } from '../../../../gateway/ingest/each.ts'
import { quota } from './fakes.ts'

const invalid = new Problem('invalid_decision', { detail: 'No.' })
const limited = new Problem('rate_limited', { detail: 'No.' })

test('what a step refuses stands in the place of its item, and its neighbours go on', () => {
  const results = each([1, 2, 3], (item) => {
    if (item === 2) throw invalid
    return item * 10
  })
  expect(results).toEqual([10, invalid, 30])
})

test('in turns it is the same', async () => {
  const seen: [number, number][] = []
  const results = await eachInTurns([1, invalid, 2], (item, index) => {
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

test('what was refused before takes no further step and keeps its index', () => {
  const seen: [number, number][] = []
  each([invalid, 5], (item, index) => seen.push([item, index]))
  expect(seen).toEqual([[5, 1]])
})

test('what is no refusal is thrown', () => {
  const bug = new TypeError('a bug')
  const step = () => {
    throw bug
  }
  expect(() => each([1], step)).toThrow(bug)
})

test('the first items that are granted go on, invalid ones count, the rest are told', () => {
  const granted = { ...quota, granted: 2, refusal: limited }
  expect(admit([1, invalid, 3, invalid], granted)).toEqual([1, invalid, limited, invalid])
  expect(admit([1, 2], quota)).toEqual([1, 2])
})

test('each item is refused or goes on, at once or after a while', async () => {
  const refusalOf = (item: number) => (item === 1 ? limited : null)
  expect(await refuseEach([1, invalid, 3], refusalOf)).toEqual([limited, invalid, 3])
  const late = (item: number) => Promise.resolve(refusalOf(item))
  expect(await refuseEach([1, invalid, 3], late)).toEqual([limited, invalid, 3])
})
