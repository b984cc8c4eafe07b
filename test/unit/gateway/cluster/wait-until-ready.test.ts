/** When a worker begins to take connections. */
import { expect, test } from '@jest/globals'
import { waitUntilReady } from '../../../../gateway/cluster/wait-until-ready.ts'

/** What is due has happened. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function wait(missing: readonly string[], stopping: AbortSignal) {
  const seen = { isOver: false }
  const over = waitUntilReady(() => missing, stopping).then(() => void (seen.isOver = true))
  return { seen, over }
}

test('it waits while something is missing', async () => {
  const missing = ['log']
  const { seen, over } = wait(missing, new AbortController().signal)
  await turn()
  expect(seen.isOver).toBe(false)
  missing.pop()
  await over
  expect(seen.isOver).toBe(true)
})

test('it does not wait when nothing is missing, or when it is told to stop', async () => {
  const told = new AbortController()
  const ready = wait([], told.signal)
  const stopped = wait(['log'], told.signal)
  await turn()
  expect([ready.seen.isOver, stopped.seen.isOver]).toEqual([true, false])
  told.abort()
  await stopped.over
})
