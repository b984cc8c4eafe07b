/** Work that is repeated: at once while there is more, at a nudge, and not after the stop. */
import { expect, test } from '@jest/globals'
import { keepGoing } from '../../../../../consumers/evaluation/webhooks/keep-going.ts'
import { waitUntil } from '../../../../support/wait-until.ts'

const never = 3_600_000

test('goes on while there is more, then waits for a nudge', async () => {
  let rounds = 0
  const going = keepGoing({
    work: () => Promise.resolve(++rounds < 3),
    idleMs: never,
    onError: () => {}
  })
  await waitUntil('three rounds', () => rounds === 3)
  going.nudge()
  going.nudge()
  await waitUntil('a fourth', () => rounds === 4)
  await going.stop()
  going.nudge()
  expect(rounds).toBe(4)
})

test('a failure is told, and the next round comes', async () => {
  const told: unknown[] = []
  const going = keepGoing({
    work: () => Promise.reject(new Error(`failure ${told.length}`)),
    idleMs: 1,
    onError: (error) => told.push((error as Error).message)
  })
  await waitUntil('two failures', () => told.length >= 2)
  await going.stop()
  expect(told.slice(0, 2)).toEqual(['failure 0', 'failure 1'])
})

test('the stop waits for the round under way, a nudge in it is not lost', async () => {
  const gate = Promise.withResolvers<boolean>()
  let rounds = 0
  const going = keepGoing({
    work: () => {
      rounds += 1
      return rounds === 1 ? gate.promise : Promise.resolve(false)
    },
    idleMs: never,
    onError: () => {}
  })
  going.nudge()
  gate.resolve(false)
  await waitUntil('the nudged round', () => rounds === 2)
  await going.stop()
  expect(rounds).toBe(2)
})
