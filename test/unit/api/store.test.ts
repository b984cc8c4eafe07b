/** Tests the database role and organization of reads and changes, and which errors count as an
 * outage.
 */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../core/problem.ts'
import { createStore, readsAtOnceMax } from '../../../api/store.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { organizationId, problemOf } from './fakes.ts'

/** A fake that records each statement and its settings, and returns no rows. */
class FakePostgres {
  readonly asked: { readonly statement: string; readonly values: readonly unknown[] }[] = []
  readonly settings: Readonly<Record<string, string>>[] = []
  failure: Error | null = null

  reading(settings: Readonly<Record<string, string>>): Queryable {
    this.settings.push(settings)
    return { query: (statement, values) => this.query(statement, values) }
  }

  changing(settings: Readonly<Record<string, string>>): Postgres['transaction'] {
    const queryable = this.reading(settings)
    return (work) => work(queryable)
  }

  async query(statement: string, values: readonly unknown[] = []): Promise<[]> {
    if (this.failure !== null) throw this.failure
    this.asked.push({ statement, values })
    return []
  }
}

test('restricts a read to the reader role and its organization', async () => {
  const fake = new FakePostgres()
  const db = createStore(fake).of(organizationId)
  await db.query('select 1 from decisions', ['a value'])
  expect(db.organizationId).toBe(organizationId)
  const reader = { role: 'sluice_reader', 'sluice.organization_id': organizationId }
  expect(fake.settings).toContainEqual(reader)
  expect(fake.asked).toEqual([{ statement: 'select 1 from decisions', values: ['a value'] }])
})

test('restricts a change to the editor role and its organization', async () => {
  const fake = new FakePostgres()
  const db = createStore(fake).of(organizationId)
  const editor = { role: 'sluice_editor', 'sluice.organization_id': organizationId }
  expect(await db.change(async (transaction) => transaction.query('select 1 from rules'))).toEqual(
    []
  )
  expect(fake.settings).toContainEqual(editor)
  expect(fake.asked).toEqual([{ statement: 'select 1 from rules', values: [] }])
})

test('leaves room for logins and other organizations when one reads a lot', async () => {
  const fake = new FakePostgres()
  const { promise, resolve } = Promise.withResolvers<[]>()
  const store = createStore({
    changing: (settings) => fake.changing(settings),
    reading: (settings) => {
      const reader = fake.reading(settings)
      return {
        query: async (statement, values) => {
          await reader.query(statement, values)
          return statement.includes('decisions') ? promise : []
        }
      }
    }
  })
  const db = store.of(organizationId)
  const slow = Array.from({ length: 30 }, () => db.query('select 1 from decisions'))
  await store.accounts.query('select 1 from users')
  await store.of('another').query('select 1 from rules')
  const asked = Map.groupBy(fake.asked, ({ statement }) => statement)
  expect([...asked].map(([statement, all]) => [statement, all.length])).toEqual([
    ['select 1 from decisions', readsAtOnceMax],
    ['select 1 from users', 1],
    ['select 1 from rules', 1]
  ])
  resolve([])
  await Promise.all(slow)
})

test('rethrows a problem from a change unchanged', async () => {
  const refusal = new Problem('in_use', { detail: 'A rule names it.' })
  const changing = createStore(new FakePostgres())
    .of(organizationId)
    .change(() => Promise.reject(refusal))
  await expect(changing).rejects.toBe(refusal)
})

test('reads accounts without an organization', async () => {
  const fake = new FakePostgres()
  await createStore(fake).accounts.query('select 1 from users')
  expect(fake.settings).toContainEqual({ role: 'sluice_accounts' })
  expect(fake.asked).toEqual([{ statement: 'select 1 from users', values: [] }])
})

test.each(['of', 'change', 'accounts'] as const)(
  'turns an outage into a 503 that keeps its cause: %s',
  async (way) => {
    const fake = new FakePostgres()
    fake.failure = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const store = createStore(fake)
    const db = store.of(organizationId)
    const ways = {
      of: () => db.query('select 1'),
      change: () => db.change((transaction) => transaction.query('select 1')),
      accounts: () => store.accounts.query('select 1')
    }
    const problem = await problemOf(ways[way]())
    expect(problem.code).toBe('store_unavailable')
    expect(problem.options.headers).toEqual({ 'retry-after': '2' })
    expect(problem.cause).toBe(fake.failure)
  }
)

test('does not report a programming error as an outage', async () => {
  const fake = new FakePostgres()
  fake.failure = new TypeError('undefined is not a function')
  const reading = createStore(fake).of(organizationId).query('select 1')
  await expect(reading).rejects.toBe(fake.failure)
})

test('has no query without an organization, checked by types', () => {
  const store = createStore(new FakePostgres())
  // @ts-expect-error A store has no query of its own.
  expect(store.query).toBeUndefined()
})
