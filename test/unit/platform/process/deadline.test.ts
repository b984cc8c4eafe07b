/** Tests what ends a deadline, the abort reason of its signal, and its cleanup. */
import { getEventListeners } from 'node:events'
import { expect, test } from '@jest/globals'
import { createDeadline } from '../../../../platform/process/deadline.ts'
import { waitUntil } from '../../../support/wait-until.ts'

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

test('ends after the time limit', async () => {
  const { signal, isOver, clear } = createDeadline(1)
  await waitUntil('the time limit to pass', () => signal.aborted)
  expect(isOver()).toBe(true)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError', message: 'not finished within 1 ms' })
  clear()
})

test('ends with the reason of an aborting caller', () => {
  const caller = new AbortController()
  const { signal, isOver, clear } = createDeadline(60_000, caller.signal)
  const reason = new Error('shutting down')
  caller.abort(reason)
  expect([signal.reason, isOver()]).toEqual([reason, false])
  clear()
})

test('ends at once for an aborted caller', () => {
  const caller = AbortSignal.abort(new Error('too late'))
  const { signal, clear } = createDeadline(60_000, caller)
  expect(signal.reason).toBe(caller.reason)
  clear()
})

test('leaves no timer and no listener', () => {
  const caller = new AbortController()
  const before = timers()
  const deadlines = Array.from({ length: 100 }, () => createDeadline(60_000, caller.signal))
  expect(timers()).toBe(before + 100)
  for (const { clear } of deadlines) clear()
  expect(timers()).toBe(before)
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
})
