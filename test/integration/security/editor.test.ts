/** Tests which data of an organization a gateway is allowed to change. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createStore } from '../../../api/store.ts'
import type { OrganizationStore } from '../../../api/store.ts'
import { createPostgres, sqlStateOf } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createOwnedDatabase } from '../../support/roles.ts'
import { applyMigrations } from '../../../platform/postgres/migrations.ts'
import { migrationsFolder } from '../../../schemas/index.ts'
import { configured, fillOrganization, insertInto, shown } from './fill-organization.ts'

const tables = Object.keys(configured)
const notPermitted = '42501'

const setups: [string, () => Promise<{ database: TestDatabase; gatewayUrl: string }>][] = [
  [
    'a superuser',
    async () => {
      const database = await createTestDatabase()
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

function stateOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: Error) => sqlStateOf(error.cause ?? error)
  )
}

describe.each(setups)('an editor, with %s', (_, createSetup) => {
  const [ours, theirs] = [randomUUID(), randomUUID()]
  let database: TestDatabase
  let postgres: PostgresPool
  let store: OrganizationStore

  beforeAll(async () => {
    const setup = await createSetup()
    database = setup.database
    await fillOrganization(database, theirs)
    const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
    postgres = createPostgres({ url: setup.gatewayUrl, applicationName: 'test', ...limits })
    onEnd(() => postgres.close())
    store = createStore(postgres).of(ours)
  })

  const tried = (statement: string, values?: readonly unknown[]) =>
    stateOf(store.change((transaction) => transaction.query(statement, values)))

  test.each(tables)('inserts rows of its organization into %s, and no others', async (name) => {
    expect(await tried(insertInto(name), [theirs])).toBe(notPermitted)
    expect(await tried(insertInto(name), [ours])).toBe('done')
    const seen = await store.change((transaction) =>
      transaction.query(`select organization_id from ${name}`)
    )
    expect(seen).toEqual([{ organization_id: ours }])
  })

  test.each(tables)(
    'moves no row of %s to another organization, and deletes none',
    async (name) => {
      const state = await tried(`update ${name} set organization_id = $1`, [theirs])
      expect(state).toBe(notPermitted)
      expect(await tried(`delete from ${name}`)).toBe(notPermitted)
    }
  )

  test.each(['evaluator_versions', 'rule_sets'])('cannot update %s', async (name) => {
    expect(await tried(`update ${name} set created_by = 'user'`)).toBe(notPermitted)
  })

  test('may only set which run supersedes an ended run', async () => {
    const foreign = `update later_runs set superseded_by = gen_random_uuid() returning 1`
    const changed = await store.change((transaction) => transaction.query(foreign))
    expect(changed).toEqual([])
    expect(await tried(`update later_runs set status = 'failed'`)).toBe(notPermitted)
  })

  test('may only request what storage does with a dead-letter record', async () => {
    const foreign = `update dead_letters set requested_action = 'drop' returning 1`
    const changed = await store.change((transaction) => transaction.query(foreign))
    expect(changed).toEqual([])
    expect(await tried(`update dead_letters set state = 'dropped'`)).toBe(notPermitted)
    expect(await tried(`update dead_letters set topic = 't'`)).toBe(notPermitted)
    expect(await tried(`delete from dead_letters`)).toBe(notPermitted)
    expect(await tried(`select 1 from dead_letter_marks`)).toBe(notPermitted)
  })

  test.each(['sessions', 'refresh_tokens', 'email_tokens', 'evaluation_spend'])(
    'cannot read or change %s',
    async (name) => {
      expect(await tried(`select 1 from ${name}`)).toBe(notPermitted)
      expect(await tried(`delete from ${name}`)).toBe(notPermitted)
    }
  )

  test('reads no secret, and changes no user and no audit record', async () => {
    for (const statement of [
      `select password_hash from users`,
      `select secret_digest from api_keys`,
      `select token_digest from invites`,
      `update users set email = 'x'`,
      `update audit_log set action = 'x'`,
      `delete from audit_log`,
      `delete from api_keys`,
      `update organizations set rate_limit_points = 1`
    ]) {
      expect([statement, await tried(statement)]).toEqual([statement, notPermitted])
    }
  })

  test.each(['decisions', 'decision_ids', 'later_scores', 'decision_hours', 'erasures'])(
    'cannot change %s',
    async (name) => {
      expect(await tried(`update ${name} set organization_id = organization_id`)).toBe(notPermitted)
      expect(await tried(`delete from ${name}`)).toBe(notPermitted)
    }
  )

  test('changes nothing without an organization', async () => {
    const change = postgres.changing({ role: 'sluice_editor' })
    for (const name of shown.filter((table) => tables.includes(table))) {
      const work = change((transaction) => transaction.query(insertInto(name), [ours]))
      expect([name, await stateOf(work)]).toEqual([name, notPermitted])
    }
  })

  test('rolls back a failed change, and resets its role', async () => {
    const id = randomUUID()
    const work = store.change(async (transaction) => {
      await transaction.query(
        `insert into evaluators (organization_id, evaluator_id, name, version)
         values ($1, $2, $2, 1)`,
        [ours, id]
      )
      await transaction.query('select 1 / 0')
    })
    expect(await stateOf(work)).toBe('22012')
    const found = 'select 1 from evaluators where evaluator_id = $1'
    expect(await store.query(found, [id])).toEqual([])
    const state = `select current_user = session_user as is_login,
                          current_setting('sluice.organization_id', true) as organization`
    expect(await postgres.query(state)).toEqual([{ is_login: true, organization: '' }])
  })
})
