/** Which failures of the store are an outage and which are our own mistakes. */
import { expect, test } from '@jest/globals'
import { createStore } from '../../../../gateway/api/store.ts'
import { FakeStore, problemOf } from './fakes.ts'

test('an outage is 503 with Retry-After, and keeps its cause', async () => {
  const fake = new FakeStore()
  fake.failure = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const problem = await problemOf(createStore(fake).query('select 1'))
  expect(problem.code).toBe('store_unavailable')
  expect(problem.options.headers).toEqual({ 'retry-after': '2' })
  expect(problem.cause).toBe(fake.failure)
})

test('a mistake of ours is not called an outage', async () => {
  const fake = new FakeStore()
  fake.failure = new TypeError('undefined is not a function')
  await expect(createStore(fake).query('select 1')).rejects.toBe(fake.failure)
})
