/** Tests that row-level security limits reads without a filter, whether the gateway connects as a
 * superuser, as the database owner, or with a gateway login.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createStore } from '../../../api/store.ts'
import { applyMigrations } from '../../../platform/postgres/migrations.ts'
import { createPostgres, sqlStateOf } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { migrationsFolder } from '../../../schemas/index.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createOwnedDatabase } from '../../support/roles.ts'
import { accounts, fillOrganization, shown, views } from './fill-organization.ts'

/**
 * Account tables that tenant reads must not access. Only authentication and the database owner can
 * read them.
 */
const unshared = ['email_tokens', 'refresh_tokens', 'registrations', 'sessions']

interface Setup {
  readonly database: TestDatabase
  /** DATABASE_URL for a gateway. */
  readonly gatewayUrl: string
}

const setups: [string, () => Promise<Setup>][] = [
  [
    'a superuser',
    async () => {
      const database = await createTestDatabase()
      return { database, gatewayUrl: database.url }
    }
  ],
  [
    'an owner without superuser',
    async () => {
      const database = await createOwnedDatabase()
      await applyMigrations({ databaseUrl: database.url, folder: migrationsFolder })
      return { database, gatewayUrl: database.url }
    }
  ],
  [
    'a login for gateways alone',
    async () => {
      const database = await createOwnedDatabase()
      await applyMigrations({ databaseUrl: database.url, folder: migrationsFolder })
      await database.follow('A login for gateways')
      return { database, gatewayUrl: database.urlOf('sluice_gateway') }
    }
  ]
]

function connect(url: string, connectionsMax: number): PostgresPool {
  const limits = { connectionsMax, statementTimeoutMs: 5000 }
  const postgres = createPostgres({ url, applicationName: 'sluice-test', ...limits })
  onEnd(() => postgres.close())
  return postgres
}

async function stateOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => 'done',
    (error: Error) => sqlStateOf(error.cause ?? error)
  )
}

describe.each(setups)('%s', (_, createSetup) => {
  const [ours, theirs] = [randomUUID(), randomUUID()]
  let setup: Setup
  let postgres: PostgresPool

  beforeAll(async () => {
    setup = await createSetup()
    await fillOrganization(setup.database, ours)
    await fillOrganization(setup.database, theirs)
    // Uses one connection, so that each read sees any session state that the previous one left
    // behind.
    postgres = connect(setup.gatewayUrl, 1)
  })

  const readAs = (organizationId: string, statement: string, values?: readonly unknown[]) =>
    createStore(postgres).of(organizationId).query(statement, values)
  const ownersOf = async (organizationId: string, table: string): Promise<unknown[]> => {
    const rows = await readAs(organizationId, `select organization_id from ${table}`)
    return [...new Set(rows.map((row) => row['organization_id']))]
  }

  test.each([...shown, ...views, ...accounts])(
    'returns the rows of one organization without a filter on %s',
    async (name) => {
      expect(await ownersOf(ours, name)).toEqual([ours])
      expect(await ownersOf(theirs, name)).toEqual([theirs])
      expect(await ownersOf(randomUUID(), name)).toEqual([])
      const foreign = await readAs(ours, `select 1 from ${name} where organization_id = $1`, [
        theirs
      ])
      expect(foreign).toEqual([])
    }
  )

  test.each([
    ['none', {}],
    ['an empty one', { 'sluice.organization_id': '' }]
  ])('returns no row to a reader without an organization: %s', async (_name, settings) => {
    const reading = postgres.reading({ role: 'sluice_reader', ...settings })
    for (const table of [...shown, ...accounts])
      expect(await reading.query(`select 1 from ${table}`)).toEqual([])
  })

  test('resets role and organization after a read, even after an error', async () => {
    const state = `select current_user = session_user as is_login,
                          current_setting('sluice.organization_id', true) as organization`
    await ownersOf(ours, 'decisions')
    expect(await postgres.query(state)).toEqual([{ is_login: true, organization: '' }])
    expect(await stateOf(readAs(ours, 'select 1 / 0'))).toBe('22012')
    expect(await postgres.query(state)).toEqual([{ is_login: true, organization: '' }])
    expect(await stateOf(readAs('no uuid', 'select 1 from decisions'))).toBe('22P02')
    expect(await postgres.query(state)).toEqual([{ is_login: true, organization: '' }])
    expect(await ownersOf(theirs, 'decisions')).toEqual([theirs])
  })

  test('separates concurrent reads of two organizations', async () => {
    const store = createStore(connect(setup.gatewayUrl, 3))
    const turns = Array.from({ length: 60 }, (_each, turn) => (turn % 2 === 0 ? ours : theirs))
    const seen = await Promise.all(
      turns.map((who) => store.of(who).query('select organization_id from decisions'))
    )
    expect(seen).toEqual(turns.map((organization_id) => [{ organization_id }]))
  })

  test.each([
    `${ours}'; reset role; select organization_id from decisions; --`,
    `${ours}', true), set_config('role', 'none', true); --`
  ])('treats an organization as a value, never as SQL: %s', async (attack) => {
    const store = createStore(postgres)
    const reading = store.of(attack).query('select organization_id from decisions')
    expect(await stateOf(reading)).toBe('22P02')
    const value = "'; reset role; --"
    const found = await readAs(ours, 'select 1 from decisions where agent_id = $1', [value])
    expect(found).toEqual([])
    const two = 'select $1::text; reset role'
    expect(await stateOf(readAs(ours, two, ['x']))).toBe('42601')
  })

  test('rejects reads of partitions around their parent', async () => {
    await setup.database.query(`select ensure_day_partition('decisions', '2026-02-01')`)
    const partitions = await setup.database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
         join pg_class on oid = inhrelid where relkind = 'r'`
    )
    expect(partitions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['decisions_default', 'decisions_20260201', 'decision_ids_0'])
    )
    for (const { name } of partitions) {
      expect([name, await stateOf(readAs(ours, `select 1 from ${name}`))]).toEqual([name, '42501'])
    }
  })

  test('lets a reader change nothing and read no account', async () => {
    expect(await stateOf(readAs(ours, 'delete from decisions'))).toBe('25006')
    const hidden = ['users.password_hash', 'api_keys.secret_digest', 'invites.token_digest']
    const statements = [
      ...unshared.map((table) => `select 1 from ${table}`),
      ...hidden.map((name) => `select ${name} from ${name.split('.')[0]}`)
    ]
    for (const statement of statements) {
      expect([statement, await stateOf(readAs(ours, statement))]).toEqual([statement, '42501'])
    }
    const rights = await setup.database.query(
      `select distinct privilege_type from information_schema.role_table_grants
        where grantee = 'sluice_reader'`
    )
    expect(rights).toEqual([{ privilege_type: 'SELECT' }])
  })
})

test('shows a gateway login no tenant row before it takes the role', async () => {
  const { database, gatewayUrl } = await (setups[2] as (typeof setups)[number])[1]()
  await fillOrganization(database, randomUUID())
  const postgres = connect(gatewayUrl, 1)
  for (const table of [...shown, ...views]) {
    expect(await stateOf(postgres.query(`select 1 from ${table}`))).toBe('42501')
  }
  expect(await stateOf(postgres.query('set role sluice_storage'))).toBe('42501')
})

test('protects every table with rows of organizations', async () => {
  const database = await createTestDatabase()
  const tables = await database.query<{ name: string; forced: boolean }>(
    `select relname as name, relrowsecurity and relforcerowsecurity as forced
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where a.attname = 'organization_id' and relkind in ('r', 'p') and not relispartition
        and relnamespace = 'public'::regnamespace
      order by relname`
  )
  expect(tables.filter(({ forced }) => !forced)).toEqual([])
  const all = [...shown, ...accounts, 'sessions'].toSorted()
  expect(tables.map(({ name }) => name)).toEqual(all)
})

test('tells an owner without the roles what an administrator has to run', async () => {
  const database = await createOwnedDatabase()
  const [row] = await database.query<{ name: string }>('select current_user as name')
  await database.administer('revoke sluice_reader, sluice_storage from sluice_owner')
  const migrating = applyMigrations({ databaseUrl: database.url, folder: migrationsFolder })
  const roles = 'sluice_reader, sluice_editor, sluice_accounts, sluice_storage'
  const advice = `grant ${roles} to ${row?.name}`
  await expect(migrating).rejects.toThrow(advice)

  await database.administer('grant sluice_reader, sluice_storage to sluice_owner')
  await database.administer('alter role sluice_owner noinherit')
  await database.administer('revoke sluice_storage from sluice_owner')
  await database.administer('grant sluice_storage to sluice_owner')
  const blind = applyMigrations({ databaseUrl: database.url, folder: migrationsFolder })
  await expect(blind).rejects.toThrow(`alter role ${row?.name} inherit`)
})
