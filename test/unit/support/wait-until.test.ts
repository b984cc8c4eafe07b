/** Tests `waitUntil`, which polls until a result is available. */
import { expect, test } from '@jest/globals'
import { waitUntil } from '../../support/wait-until.ts'

test('resolves with the first result', async () => {
  const answers = [false, null, undefined, 0, 1]
  expect(await waitUntil('an answer', () => answers.shift())).toBe(0)
})

test('retries when the probe throws', async () => {
  let tries = 0
  const answer = await waitUntil('an answer', () => {
    tries += 1
    if (tries < 3) throw new Error('not yet')
    return 'here'
  })
  expect(answer).toBe('here')
})

test('fails with the name and the last error of the probe', async () => {
  const waiting = waitUntil(
    'the response',
    () => Promise.reject(new Error('connection refused')),
    60
  )
  await expect(waiting).rejects.toMatchObject({
    message: 'the response: not within 60 ms',
    cause: new Error('connection refused')
  })
})
