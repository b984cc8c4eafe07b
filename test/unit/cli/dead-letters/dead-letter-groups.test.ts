/** Tests the grouping of dead-letter records. */
import { expect, test } from '@jest/globals'
import { createDeadLetterGroups } from '../../../../cli/dead-letters/dead-letter-groups.ts'
import type { DeadLetterRecord } from '../../../../cli/dead-letters/read-dead-letters.ts'
import { aMessage } from '../../consumers/fakes.ts'

function aRecord(reason: string, timestamp: number, state: DeadLetterRecord['state'] = 'open') {
  const origin = { topic: 'agent-decisions', partition: 0, offset: 1n }
  const deadLetter = { reason, step: 'decode', error: 'e', group: 'g', origin }
  return { message: aMessage({ timestamp, offset: BigInt(timestamp) }), deadLetter, state }
}

test('counts records with their first and last time, largest group first', () => {
  const groups = createDeadLetterGroups()
  groups.add([aRecord('b', 3), aRecord('a', 5), aRecord('a', 2), aRecord('a', 4, 'dropped')])
  expect(groups.all()).toMatchObject([
    { reason: 'a', count: 2, firstAt: 2, lastAt: 5, example: { partition: 3, offset: 2 } },
    { reason: 'b', count: 1 },
    { reason: 'a', state: 'dropped', count: 1 }
  ])
})

test('bounds the number of groups, however many reasons there are', () => {
  const groups = createDeadLetterGroups()
  groups.add(Array.from({ length: 5000 }, (_, index) => aRecord(`reason ${index}`, index)))
  expect(groups.all().length).toBeLessThanOrEqual(1001)
  expect(groups.all()[0]).toMatchObject({ reason: '(others)', count: 4000 })
})
