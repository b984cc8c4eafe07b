/** Tests on a real Postgres which errors are transient, and which are caused by the row. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import {
  createPostgres,
  isTransientPostgresError,
  sqlStateOf
} from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

const lockedTable = 'organizations'
let database: TestDatabase
let postgres: Postgres

function connect(url: string, statementTimeoutMs = 5000): Postgres {
  const name = `test-${randomUUID()}`
  const limits = { connectionsMax: 2, statementTimeoutMs }
  const connected = createPostgres({ url, applicationName: name, ...limits })
  onEnd(() => connected.close())
  return connected
}

beforeAll(async () => {
  database = await createTestDatabase()
  postgres = connect(database.url)
})

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

test('a text with several statements, as the queue sends, returns the rows of all', async () => {
  expect(await postgres.query('begin; select 1 as n; select 2 as n; commit')).toEqual([
    { n: 1 },
    { n: 2 }
  ])
  expect(await postgres.query('set search_path to default')).toEqual([])
})

function insertDecision(receivedAt: string, into = 'decisions'): Promise<unknown> {
  return postgres.query(
    `insert into ${into} (organization_id, decision_id, received_at, input, output)
     values ($1, $2, $3, '1', '""')`,
    [randomUUID(), randomUUID(), receivedAt]
  )
}

const memberColumns = 'organization_id, user_id, role'

test.each<[string, string, boolean, () => Promise<unknown>]>([
  ['a text with NUL', '22021', false, () => postgres.query(`select $1::text`, ['a\0'])],
  ['a number out of range', '22003', false, () => postgres.query(`select 70000::smallint`)],
  ['no UUID', '22P02', false, () => postgres.query(`select 'x'::uuid`)],
  [
    'a null in a required column',
    '23502',
    false,
    () => postgres.query(`insert into organizations (organization_id) values (gen_random_uuid())`)
  ],
  [
    'a missing parent',
    '23503',
    false,
    () =>
      postgres.query(
        `insert into memberships (${memberColumns})
         values (gen_random_uuid(), gen_random_uuid(), 'owner')`
      )
  ],
  [
    'a check of the table',
    '23514',
    false,
    () =>
      postgres.query(
        `insert into memberships (${memberColumns})
         values (gen_random_uuid(), gen_random_uuid(), 'nobody')`
      )
  ],
  [
    'a key too long for its index',
    '54000',
    false,
    () =>
      postgres.query(
        `insert into api_keys (key_id, organization_id, name, environment, secret_digest, scopes)
         select string_agg(gen_random_uuid()::text, ''), gen_random_uuid(), '', '', '', '{}'
           from generate_series(1, 1000)`
      )
  ],
  ['a missing table', '42P01', true, () => postgres.query(`select 1 from nowhere`)],
  ['a missing column', '42703', true, () => postgres.query(`select nothing from decisions`)],
  [
    'a wrong password',
    '28P01',
    true,
    () => {
      const url = new URL(database.url)
      url.password = 'wrong'
      return connect(url.href).query('select 1')
    }
  ],
  [
    'a missing database',
    '3D000',
    true,
    () => connect(new URL('/nowhere', database.url).href).query('select 1')
  ],
  ['a statement that takes too long', '57014', true, () => slowly(database.url)]
])('%s is %s', async (_what, state, isTransient, work) => {
  const error = await errorOf(work())
  expect([sqlStateOf(error), isTransientPostgresError(error)]).toEqual([state, isTransient])
})

function slowly(url: string): Promise<unknown> {
  return connect(url, 100).query('select pg_sleep(10)')
}

test('a row without a matching partition, or in the wrong one, is transient', async () => {
  await database.query(`alter table decisions detach partition decisions_default`)
  const missing = await errorOf(insertDecision('2031-01-01'))
  expect([sqlStateOf(missing), isTransientPostgresError(missing)]).toEqual(['23514', true])
  await database.query(`alter table decisions attach partition decisions_default default`)
  await database.query(`create table decisions_other partition of decisions
                        for values from ('2031-01-01') to ('2031-01-02')`)
  const wrong = await errorOf(insertDecision('2031-01-01', 'decisions_default'))
  expect([sqlStateOf(wrong), isTransientPostgresError(wrong)]).toEqual(['23514', true])
})

test('a lock held for a long time is transient, by either limit', async () => {
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = postgres.transaction(async (transaction) => {
    await transaction.query(`lock table ${lockedTable} in access exclusive mode`)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const waiting = connect(database.url, 200).query(`select 1 from ${lockedTable}`)
  const impatient = postgres.transaction(async (transaction) => {
    await transaction.query(`set local lock_timeout = '100ms'`)
    await transaction.query(`select 1 from ${lockedTable}`)
  })
  const errors = [await errorOf(waiting), await errorOf(impatient)]
  expect(errors.map(sqlStateOf)).toEqual(['57014', '55P03'])
  expect(errors.map(isTransientPostgresError)).toEqual([true, true])
  release.resolve()
  await holding
})

test('a terminated backend is transient', async () => {
  const name = `victim-${randomUUID()}`
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const victim = createPostgres({ url: database.url, applicationName: name, ...limits })
  onEnd(() => victim.close())
  const error = await errorOf(
    victim.transaction(async (transaction) => {
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1`,
        [name]
      )
      await transaction.query('select 1')
    })
  )
  expect(isTransientPostgresError(error)).toBe(true)
  expect(await victim.query(`select 1 as one`)).toEqual([{ one: 1 }])
})

test('a read-only database is transient', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await database.query(`alter database "${name}" set default_transaction_read_only = on`)
  const standby = connect(database.url)
  const error = await errorOf(standby.query(`delete from organizations`))
  expect([sqlStateOf(error), isTransientPostgresError(error)]).toEqual(['25006', true])
})

test('too many connections are transient', async () => {
  const role = `crowd_${randomUUID().replaceAll('-', '')}`
  await database.query(`create role ${role} login password 'secret' connection limit 1`)
  onEnd(() => database.query(`drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  url.password = 'secret'
  const error = await connect(url.href).transaction(async (transaction) => {
    await transaction.query('select 1')
    return await errorOf(connect(url.href).query('select 1'))
  })
  expect([sqlStateOf(error), isTransientPostgresError(error)]).toEqual(['53300', true])
})
