/** Tests chooseDeferred, which defers decisions beyond an organization's share if other
 * organizations are active.
 */
import { expect, test } from '@jest/globals'
import { chooseDeferred } from '../../../../../consumers/evaluation/deferral/choose-deferred.ts'
import { createNeighbours } from '../../../../../platform/process/neighbours.ts'
import type { Decision } from '../../../../../core/decision/decision.ts'
import { aDecision } from '../../../../support/builders.ts'

const decisionsOf = (organization_id: string, count: number): Decision[] =>
  Array.from({ length: count }, () => aDecision({ organization_id }))

/**
 * Creates a chooser. `costs` holds the milliseconds per decision by organization; the default is 1.
 */
function scene(costs: Readonly<Record<string, number>>) {
  let now = 0
  const neighbors = createNeighbours(3_600_000, () => now)
  return {
    wait: (ms: number): void => void (now += ms),
    choose: (decisions: readonly Decision[], waiting: readonly string[] = []) =>
      chooseDeferred(decisions, {
        ...{ costs: { of: (id) => costs[id] ?? 1 }, neighbors },
        waiting: new Set(waiting)
      })
  }
}

test('defers nothing of an organization that is alone', () => {
  const { choose } = scene({ heavy: 4 })
  expect(choose(decisionsOf('heavy', 2000))).toEqual([])
})

test('keeps the first decisions of an organization that exceeds its share', () => {
  const { choose } = scene({ heavy: 4, light: 1 })
  const heavy = decisionsOf('heavy', 100)
  // Of 25 ms in total, the light organization uses 10, so 15 are left for the heavy one.
  expect(choose([...heavy, ...decisionsOf('light', 10)])).toEqual(heavy.slice(3))
})

test('divides the time among organizations that all exceed their share', () => {
  const { choose } = scene({})
  const [one, other] = [decisionsOf('one', 100), decisionsOf('other', 30)]
  expect(choose([...one, ...other])).toEqual([...one.slice(12), ...other.slice(12)])
})

test('leaves each of many organizations at least one decision', () => {
  const { choose } = scene({ slow: 99 })
  const slow = decisionsOf('slow', 2)
  const others = Array.from({ length: 20 }, (_, index) => decisionsOf(`other ${index}`, 5))
  expect(choose([...slow, ...others.flat()])).toEqual(slow.slice(1))
})

test('remembers for an hour that another organization was active', () => {
  const { choose, wait } = scene({ heavy: 4 })
  const heavy = decisionsOf('heavy', 100)
  choose(decisionsOf('light', 1))
  expect(choose(heavy)).toHaveLength(100 - 6)
  wait(3_600_000)
  expect(choose(heavy)).toEqual([])
})

test('defers all decisions of an organization with deferred ones, outside the shares', () => {
  const { choose } = scene({})
  const [waiting, other] = [decisionsOf('waiting', 2), decisionsOf('other', 25)]
  expect(choose([...waiting, ...other], ['waiting'])).toEqual(waiting)
})
