/** Dead letters that are alike. */
import { expect, test } from '@jest/globals'
import { createLetterGroups } from '../../../../cli/letters/letter-groups.ts'
import type { LetterRecord } from '../../../../cli/letters/read-letters.ts'
import { aMessage } from '../../consumers/fakes.ts'

function aRecord(reason: string, timestamp: number, state: LetterRecord['state'] = 'open') {
  const origin = { topic: 'agent-decisions', partition: 0, offset: 1n }
  const letter = { reason, step: 'decode', error: 'e', group: 'g', origin }
  return { message: aMessage({ timestamp, offset: BigInt(timestamp) }), letter, state }
}

test('are counted with their first and last time, the most first', () => {
  const groups = createLetterGroups()
  groups.add([aRecord('b', 3), aRecord('a', 5), aRecord('a', 2), aRecord('a', 4, 'dropped')])
  expect(groups.all()).toMatchObject([
    { reason: 'a', letters: 2, firstAt: 2, lastAt: 5, example: { partition: 3, offset: 2 } },
    { reason: 'b', letters: 1 },
    { reason: 'a', state: 'dropped', letters: 1 }
  ])
})

test('however many reasons somebody makes up, memory is bounded', () => {
  const groups = createLetterGroups()
  groups.add(Array.from({ length: 5000 }, (_, index) => aRecord(`reason ${index}`, index)))
  expect(groups.all().length).toBeLessThanOrEqual(1001)
  expect(groups.all()[0]).toMatchObject({ reason: '(others)', letters: 4000 })
})
