/** Who waits for which key. */
import { expect, test } from '@jest/globals'
import { createWantedKeys } from '../../../auth/wanted-keys.ts'

const entry = { row: null, readAt: 0 }

test('keys are taken in the order in which they came', () => {
  const keys = createWantedKeys()
  for (const keyId of ['a', 'b', 'c']) void keys.add(keyId)
  expect(keys.take(2).map(({ key_id }) => key_id)).toEqual(['a', 'b'])
  expect(keys.waiting()).toBe(1)
  expect(keys.take(Infinity).map(({ key_id }) => key_id)).toEqual(['c'])
})

test('a key can be waited for until it was read', async () => {
  const keys = createWantedKeys()
  const promise = keys.add('a')
  const taken = keys.take(1)
  expect(keys.promiseOf('a')).toBe(promise)
  expect(taken.map((wanted) => keys.settle(wanted, entry))).toEqual([true])
  expect(await promise).toBe(entry)
  expect(keys.promiseOf('a')).toBeUndefined()
})

test('a reading that was outdated does not count, and the next is not touched by it', async () => {
  const keys = createWantedKeys()
  const early = keys.add('a')
  const [wanted] = keys.take(1)
  keys.outdate('a')
  expect(keys.promiseOf('a')).toBeUndefined()
  const late = keys.add('a')
  expect(wanted && keys.settle(wanted, entry)).toBe(false)
  expect(await early).toBe(entry)
  expect(keys.promiseOf('a')).toBe(late)
})

test('who waits for what is dropped is told why', async () => {
  const keys = createWantedKeys()
  const promise = keys.add('a')
  keys.drop(keys.take(1), new Error('away'))
  await expect(promise).rejects.toThrow('away')
  expect([keys.promiseOf('a'), keys.waiting()]).toEqual([undefined, 0])
})
