/** A deadline: what ends it, which reason it gives, and that it leaves nothing behind. */
import { getEventListeners } from 'node:events'
import { expect, test } from '@jest/globals'
import { createDeadline } from '../../../../platform/process/deadline.ts'
import { waitUntil } from '../../../support/wait-until.ts'

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

test('the time ends it', async () => {
  const { signal, isOver, clear } = createDeadline(1)
  await waitUntil('the time to be over', () => signal.aborted)
  expect(isOver()).toBe(true)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError', message: 'not within 1 ms' })
  clear()
})

test('the caller ends it, with his own reason', () => {
  const caller = new AbortController()
  const { signal, isOver, clear } = createDeadline(60_000, caller.signal)
  const reason = new Error('shutting down')
  caller.abort(reason)
  expect([signal.reason, isOver()]).toEqual([reason, false])
  clear()
})

test('a caller who gave up before ends it at once', () => {
  const caller = AbortSignal.abort(new Error('too late'))
  const { signal, clear } = createDeadline(60_000, caller)
  expect(signal.reason).toBe(caller.reason)
  clear()
})

test('nothing of it is left', () => {
  const caller = new AbortController()
  const before = timers()
  const deadlines = Array.from({ length: 100 }, () => createDeadline(60_000, caller.signal))
  expect(timers()).toBe(before + 100)
  for (const { clear } of deadlines) clear()
  expect(timers()).toBe(before)
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
})
