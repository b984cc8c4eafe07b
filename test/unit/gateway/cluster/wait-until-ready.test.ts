/** Tests that a worker waits until its readiness checks pass or the process stops. */
import { expect, test } from '@jest/globals'
import { waitUntilReady } from '../../../../gateway/cluster/wait-until-ready.ts'

/** Lets pending callbacks run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function wait(missing: readonly string[], stopping: AbortSignal) {
  const seen = { isOver: false }
  const over = waitUntilReady(() => missing, stopping).then(() => void (seen.isOver = true))
  return { seen, over }
}

test('waits while a readiness check fails', async () => {
  const missing = ['kafka']
  const { seen, over } = wait(missing, new AbortController().signal)
  await turn()
  expect(seen.isOver).toBe(false)
  missing.pop()
  await over
  expect(seen.isOver).toBe(true)
})

test('does not wait when all checks pass, or when the process stops', async () => {
  const stop = new AbortController()
  const ready = wait([], stop.signal)
  const stopped = wait(['kafka'], stop.signal)
  await turn()
  expect([ready.seen.isOver, stopped.seen.isOver]).toEqual([true, false])
  stop.abort()
  await stopped.over
})
