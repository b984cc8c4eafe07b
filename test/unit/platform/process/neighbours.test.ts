/** Tests that an organization has neighbors while another one uses the process. */
import { expect, test } from '@jest/globals'
import { createNeighbours } from '../../../../platform/process/neighbours.ts'

function scene() {
  let time = 0
  const neighbours = createNeighbours(2000, () => time)
  const seen = (): readonly boolean[] => ['a', 'b', 'c'].map(neighbours.has)
  return { neighbours, seen, pass: (ms: number) => void (time += ms) }
}

test('a single organization has none', () => {
  const { neighbours, seen } = scene()
  expect(seen()).toEqual([false, false, false])
  for (let call = 0; call < 3; call++) neighbours.note('a')
  expect(seen()).toEqual([false, true, true])
})

test('of several organizations each has some, however often one of them calls', () => {
  const { neighbours, seen } = scene()
  neighbours.note('b')
  for (let call = 0; call < 100; call++) neighbours.note('a')
  expect(seen()).toEqual([true, true, true])
})

test('an organization without calls for two seconds is no longer a neighbour', () => {
  const { neighbours, seen, pass } = scene()
  neighbours.note('b')
  pass(1500)
  neighbours.note('a')
  expect(seen()).toEqual([true, true, true])
  pass(600)
  expect(seen()).toEqual([false, true, true])
  neighbours.note('b')
  expect(seen()).toEqual([true, true, true])
})

test('two alternating organizations are neighbours of each other and of a third', () => {
  const { neighbours, pass, seen } = scene()
  for (const caller of ['a', 'b', 'a', 'c', 'a']) {
    neighbours.note(caller)
    pass(100)
  }
  expect(seen()).toEqual([true, true, true])
})
