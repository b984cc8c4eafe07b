/** Tests the queue of API keys that callers wait for. */
import { expect, test } from '@jest/globals'
import { createAwaitedKeys } from '../../../auth/awaited-keys.ts'

const entry = { row: null, readAt: 0 }

test('takes keys in the order in which they were added', () => {
  const keys = createAwaitedKeys()
  for (const keyId of ['a', 'b', 'c']) void keys.add(keyId)
  expect(keys.take(2).map(({ key_id }) => key_id)).toEqual(['a', 'b'])
  expect(keys.waiting()).toBe(1)
  expect(keys.take(Infinity).map(({ key_id }) => key_id)).toEqual(['c'])
})

test('keeps the promise of a key until it is read', async () => {
  const keys = createAwaitedKeys()
  const promise = keys.add('a')
  const taken = keys.take(1)
  expect(keys.promiseOf('a')).toBe(promise)
  expect(taken.map((wanted) => keys.settle(wanted, entry))).toEqual([true])
  expect(await promise).toBe(entry)
  expect(keys.promiseOf('a')).toBeUndefined()
})

test('ignores an outdated read and keeps the one after it', async () => {
  const keys = createAwaitedKeys()
  const early = keys.add('a')
  const [wanted] = keys.take(1)
  keys.outdate('a')
  expect(keys.promiseOf('a')).toBeUndefined()
  const late = keys.add('a')
  expect(wanted && keys.settle(wanted, entry)).toBe(false)
  expect(await early).toBe(entry)
  expect(keys.promiseOf('a')).toBe(late)
})

test('rejects the promises of dropped keys', async () => {
  const keys = createAwaitedKeys()
  const promise = keys.add('a')
  keys.drop(keys.take(1), new Error('unavailable'))
  await expect(promise).rejects.toThrow('unavailable')
  expect([keys.promiseOf('a'), keys.waiting()]).toEqual([undefined, 0])
})
