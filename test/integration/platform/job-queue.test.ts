/** The job queue over a real Postgres: transactions, one holder at a time, and its tables. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { createJobQueue, prepareJobQueues } from '../../../platform/postgres/job-queue.ts'
import type { JobQueue } from '../../../platform/postgres/job-queue.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

type Key = { readonly b: string; readonly a: string }

let database: TestDatabase
let postgres: PostgresPool
let queue: JobQueue<Key>

beforeAll(async () => {
  database = await createTestDatabase()
  const limits = { connectionsMax: 4, statementTimeoutMs: 10_000 }
  postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  queue = createJobQueue({
    ...{ postgres, name: 'evaluation-runs' },
    onError: (error) => {
      throw error
    }
  })
  onEnd(() => queue.stop())
})

function newKey(): Key {
  return { b: randomUUID(), a: randomUUID() }
}

test('a job is there when its transaction commits, and only then', async () => {
  const failing = postgres.transaction(async (transaction) => {
    await queue.add(transaction, [{ key: newKey() }])
    throw new Error('on purpose')
  })
  await expect(failing).rejects.toThrow('on purpose')
  expect(await queue.fetch(10)).toEqual([])

  const keys = [newKey(), newKey()]
  await postgres.transaction((transaction) =>
    queue.add(
      transaction,
      keys.map((key) => ({ key }))
    )
  )
  const jobs = await queue.fetch(10)
  expect(jobs).toHaveLength(keys.length)
  expect(jobs.map(({ key }) => key)).toEqual(expect.arrayContaining(keys))
  for (const job of jobs) await queue.complete(job)
})

test('jobs about the same are one while they wait; another may wait while one is out', async () => {
  const key = newKey()
  await queue.add(postgres, [{ key }, { key }])
  await queue.add(postgres, [{ key }])
  const [first, ...none] = await queue.fetch(10)
  expect(none).toEqual([])
  expect(await queue.fetch(10)).toEqual([])
  await queue.add(postgres, [{ key }])
  const [second] = await queue.fetch(10)
  expect(second?.key).toEqual(key)
  expect(second?.id).not.toBe(first?.id)
  for (const job of [first, second]) if (job !== undefined) await queue.complete(job)
})

test('later completes it and adds another, in the transaction or not at all', async () => {
  const key = newKey()
  await queue.add(postgres, [{ key }])
  const [job] = await queue.fetch(1)
  if (job === undefined) throw new Error('no job')
  const rolledBack = postgres.transaction(async (transaction) => {
    await queue.later(job, new Date(0), transaction)
    throw new Error('on purpose')
  })
  await expect(rolledBack).rejects.toThrow('on purpose')
  expect(await queue.fetch(1)).toEqual([])
  await postgres.transaction((transaction) => queue.later(job, new Date(0), transaction))
  const [next] = await queue.fetch(1)
  expect(next?.key).toEqual(key)
  if (next !== undefined) await queue.complete(next)
})

test('what is to start in an hour is not handed out now', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000)
  const now = newKey()
  await queue.add(postgres, [{ key: newKey(), startAfter: inAnHour }, { key: now }])
  const jobs = await queue.fetch(10)
  expect(jobs.map(({ key }) => key)).toEqual([now])
  await queue.touch(jobs)
  for (const job of jobs) await queue.complete(job)
})

test('two who fetch at once never get the same', async () => {
  const keys = Array.from({ length: 60 }, newKey)
  await queue.add(
    postgres,
    keys.map((key) => ({ key }))
  )
  const fetched = await Promise.all(Array.from({ length: 8 }, () => queue.fetch(10)))
  const names = fetched.flat().map(({ key }) => key.a)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toHaveLength(60)
})

test('without its tables it fails, and goes on once they are there', async () => {
  await prepareJobQueues({ databaseUrl: database.url })
  await postgres.query('drop schema sluice_jobs cascade')
  const again = createJobQueue<Key>({ postgres, name: 'evaluation-runs', onError: () => {} })
  onEnd(() => again.stop())
  await expect(again.fetch(1)).rejects.toThrow(/sluice migrate/)
  await prepareJobQueues({ databaseUrl: database.url })
  expect(await again.fetch(1)).toEqual([])
})
