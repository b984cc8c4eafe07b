/** Every test that waits relies on this one to end. */
import { expect, test } from '@jest/globals'
import { waitUntil } from '../../support/wait-until.ts'

test('resolves with the first answer', async () => {
  const answers = [false, null, undefined, 0, 1]
  expect(await waitUntil('an answer', () => answers.shift())).toBe(0)
})

test('asks again when the probe throws', async () => {
  let tries = 0
  const answer = await waitUntil('an answer', () => {
    tries += 1
    if (tries < 3) throw new Error('not yet')
    return 'here'
  })
  expect(answer).toBe('here')
})

test('gives up with what it waited for and what the probe said last', async () => {
  const waiting = waitUntil('a sign of life', () => Promise.reject(new Error('nobody there')), 60)
  await expect(waiting).rejects.toMatchObject({
    message: 'a sign of life: not within 60 ms',
    cause: new Error('nobody there')
  })
})
