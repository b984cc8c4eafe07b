/** Tests `every`, which repeats work at an interval, or sooner if there is more to do or after a
 * nudge, until it is stopped.
 */
import { expect, test } from '@jest/globals'
import { every, pause } from '../../../../platform/process/every.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const never = 3_600_000

test('repeats work while there is more, then waits for a nudge', async () => {
  let rounds = 0
  const going = every({ ms: never, onError: () => {} }, () => Promise.resolve(++rounds < 3))
  await waitUntil('three rounds', () => rounds === 3)
  going.nudge()
  going.nudge()
  await waitUntil('a fourth', () => rounds === 4)
  await going.stop()
  going.nudge()
  expect(rounds).toBe(4)
})

test('reports a failure and starts the next round', async () => {
  const told: unknown[] = []
  const onError = (error: unknown) => told.push((error as Error).message)
  const going = every({ ms: 1, onError }, () => Promise.reject(new Error(`failure ${told.length}`)))
  await waitUntil('two failures', () => told.length >= 2)
  await going.stop()
  expect(told.slice(0, 2)).toEqual(['failure 0', 'failure 1'])
})

test('waits for the current round when stopped, and keeps a nudge during a round', async () => {
  const gate = Promise.withResolvers<boolean>()
  let rounds = 0
  const going = every({ ms: never, onError: () => {} }, () => {
    rounds += 1
    return rounds === 1 ? gate.promise : Promise.resolve(false)
  })
  going.nudge()
  gate.resolve(false)
  await waitUntil('the nudged round', () => rounds === 2)
  await going.stop()
  expect(rounds).toBe(2)
})

test('begins after its first pause, and aborts the signal of a round when stopped', async () => {
  const signals: AbortSignal[] = []
  const going = every({ ms: never, firstAfterMs: never, onError: () => {} }, async (signal) => {
    signals.push(signal)
    await pause(never, signal)
  })
  expect(signals).toEqual([])
  going.nudge()
  await waitUntil('the nudged round', () => signals.length === 1)
  await going.stop()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('pauses by the backoff after failures, and by the interval after a success', async () => {
  const outcomes = [false, false, true, false]
  let rounds = 0
  const going = every({ ms: never, backoff: { baseMs: 1, capMs: 1 }, onError: () => {} }, () =>
    outcomes[rounds++] === true ? Promise.resolve() : Promise.reject(new Error('away'))
  )
  await waitUntil('the success', () => rounds === 3)
  await pause(20, new AbortController().signal)
  expect(rounds).toBe(3)
  await going.stop()
})
