/** Tests the first lane: deferred decisions wait while a batch is processed, but only for a limited
 * time.
 */
import { expect, test } from '@jest/globals'
import { createFirstLane } from '../../../../../consumers/evaluation/deferral/first-lane.ts'

test('is idle when the last work has ended, even after an error', async () => {
  const lane = createFirstLane()
  await lane.idle(60_000)
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const works = [lane.during(() => one.promise), lane.during(() => other.promise)]
  let isIdle = false
  const idle = lane.idle(60_000).then(() => (isIdle = true))
  one.resolve('done')
  expect(await works[0]).toBe('done')
  expect(isIdle).toBe(false)
  other.reject(new Error('away'))
  await expect(works[1]).rejects.toThrow('away')
  await idle
})

test('waits no longer than the given time', async () => {
  const lane = createFirstLane()
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = lane.during(() => promise)
  await lane.idle(1)
  resolve()
  await work
})
