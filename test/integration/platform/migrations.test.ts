/** Tests that each migration runs once, in name order, and that either all or none are applied. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeEach, expect, test } from '@jest/globals'
import { applyMigrations } from '../../../platform/postgres/migrations.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createDatabase, dropDatabase } from '../../support/create-database.ts'
import { createMigrationsFolder } from '../../support/migrations-folder.ts'
import type { MigrationTexts } from '../../support/migrations-folder.ts'
import { services } from '../../support/services.ts'

const first = { '0010-first.sql': 'create table t (a integer); insert into t values (1);' }
const second = { '0020-second.sql': 'alter table t add column b text default $$two$$;' }
const broken = { '0030-broken.sql': 'create table u (a integer); select 1 / 0;' }

let databaseUrl = ''

beforeEach(async () => {
  const server = services().addresses.databaseUrl
  const name = `sluice_${randomUUID().replaceAll('-', '')}`
  databaseUrl = await createDatabase(server, name)
  onEnd(() => dropDatabase(server, name))
})

async function apply(texts: MigrationTexts): Promise<string[]> {
  return await applyMigrations({ databaseUrl, folder: await createMigrationsFolder(texts) })
}

async function query(statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

test('applies each migration once, and a new one to existing rows', async () => {
  expect(await apply(first)).toEqual(['0010-first'])
  expect(await apply({ ...first, ...second })).toEqual(['0020-second'])
  expect(await apply({ ...first, ...second })).toEqual([])
  expect(await query('select * from t')).toEqual([{ a: 1, b: 'two' }])
})

test('applies none if one fails', async () => {
  await apply(first)
  await expect(apply({ ...first, ...second, ...broken })).rejects.toThrow('division by zero')
  expect(await query('select * from t')).toEqual([{ a: 1 }])
  expect(await query(`select to_regclass('u') as u`)).toEqual([{ u: null }])
  expect(await apply({ ...first, ...second })).toEqual(['0020-second'])
})

test('refuses a migration that sorts before an applied one', async () => {
  await apply({ ...first, ...second })
  const late = { '0015-late.sql': 'drop table t;' }
  await expect(apply({ ...late, ...first, ...second })).rejects.toThrow('0015-late')
  expect(await query('select * from t')).toEqual([{ a: 1, b: 'two' }])
})

test('changes nothing if the migrations of an older release are applied again', async () => {
  await apply({ ...first, ...second })
  expect(await apply(first)).toEqual([])
})

test('refuses to run concurrently with another migration', async () => {
  const folder = await createMigrationsFolder({ '0010-slow.sql': 'select pg_sleep(1);' })
  const outcomes = await Promise.allSettled(
    [1, 2].map(() => applyMigrations({ databaseUrl, folder }))
  )
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
