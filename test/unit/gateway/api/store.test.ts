/** Whose rows a read may see, and which failures of the store are an outage. */
import { expect, test } from '@jest/globals'
import { createStore } from '../../../../gateway/api/store.ts'
import { FakeStore, organizationId, problemOf } from './fakes.ts'

test('a read is confined to the role of readers and to its organization', async () => {
  const fake = new FakeStore()
  const ours = createStore(fake).of(organizationId)
  await ours.query('select 1 from decisions', ['a value'])
  expect(ours.organizationId).toBe(organizationId)
  expect(fake.settings).toEqual([
    { role: 'sluice_reader', 'sluice.organization_id': organizationId }
  ])
  expect(fake.asked).toEqual([{ table: 'decisions', values: ['a value'] }])
})

test('accounts are read before there is an organization', async () => {
  const fake = new FakeStore()
  await createStore(fake).accounts.query('select 1 from users')
  expect(fake.settings).toEqual([])
  expect(fake.asked).toEqual([{ table: 'users', values: [] }])
})

test.each(['of', 'accounts'] as const)('an outage is 503 and keeps its cause: %s', async (way) => {
  const fake = new FakeStore()
  fake.failure = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const store = createStore(fake)
  const reads = way === 'of' ? store.of(organizationId) : store.accounts
  const problem = await problemOf(reads.query('select 1'))
  expect(problem.code).toBe('store_unavailable')
  expect(problem.options.headers).toEqual({ 'retry-after': '2' })
  expect(problem.cause).toBe(fake.failure)
})

test('a mistake of ours is not called an outage', async () => {
  const fake = new FakeStore()
  fake.failure = new TypeError('undefined is not a function')
  const reading = createStore(fake).of(organizationId).query('select 1')
  await expect(reading).rejects.toBe(fake.failure)
})

test('there is no read without an organization, not even for the type checker', () => {
  const store = createStore(new FakeStore())
  // @ts-expect-error A store has no query of its own.
  expect(store.query).toBeUndefined()
})
