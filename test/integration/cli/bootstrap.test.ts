/** Tests `sluice bootstrap` on a database: it is idempotent and never changes another account. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createApiKey, parseApiKey, secretDigestOf } from '../../../core/ids/api-key.ts'
import { runSluice } from '../../../stack/sluice-command.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

const pepper = 'a pepper of thirty-two characters!'
const password = 'correct horse battery staple'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

interface Printed {
  readonly organization_id: string
  readonly email: string
  readonly key_id: string | null
  readonly api_key: string | null
}

function settingsOf(email: string, members: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ...{ BOOTSTRAP_ORGANIZATION: `Acme ${email}`, BOOTSTRAP_EMAIL: email },
    ...{ BOOTSTRAP_PASSWORD: password, ...members }
  }
}

async function bootstrap(settings: NodeJS.ProcessEnv, ...args: string[]): Promise<Printed> {
  const environment = {
    ...{ PATH: process.env['PATH'], DATABASE_URL: database.url, API_KEY_PEPPER: pepper },
    ...settings
  }
  const said = await runSluice({ args: ['bootstrap', '--json', ...args], environment })
  return JSON.parse(said) as Printed
}

async function counts(organizationId: string): Promise<unknown> {
  const [row] = await database.query(
    `select (select count(*)::integer from memberships where organization_id = $1) as members,
            (select count(*)::integer from api_keys where organization_id = $1) as keys`,
    [organizationId]
  )
  return row
}

const anEmail = (): string => `${randomUUID()}@example.com`

describe('from the environment', () => {
  test('creates an organization once, even when run repeatedly and concurrently', async () => {
    const settings = settingsOf(anEmail())
    const all = await Promise.all([1, 2, 3].map(() => bootstrap(settings)))
    const [made, ...others] = all.toSorted((left) => (left.api_key === null ? 1 : -1))
    expect(made?.api_key).toMatch(/^slk_local_/)
    const { organization_id = '', email } = made ?? {}
    const nothing = { organization_id, email, key_id: null, api_key: null }
    expect(others).toEqual([nothing, nothing])
    expect(await bootstrap(settings)).toEqual(nothing)
    expect(await counts(organization_id)).toEqual({ members: 1, keys: 1 })
  })

  test('creates the given key, does not print it, and leaves it revoked once revoked', async () => {
    const { api_key } = createApiKey('prod')
    const parts = parseApiKey(api_key)
    const settings = settingsOf(anEmail(), { BOOTSTRAP_API_KEY: api_key })
    const made = await bootstrap(settings)
    expect([made.key_id, made.api_key]).toEqual([parts?.key_id, null])
    await database.query('update api_keys set revoked_at = now() where key_id = $1', [made.key_id])
    expect(await bootstrap(settings)).toEqual(made)
    const rows = await database.query(
      `select environment, secret_digest, revoked_at is not null as revoked
         from api_keys where organization_id = $1`,
      [made.organization_id]
    )
    const secret_digest = secretDigestOf(pepper, parts?.secret ?? '')
    expect(rows).toEqual([{ environment: 'prod', secret_digest, revoked: true }])
  })

  test('adds a key to an existing organization', async () => {
    const email = anEmail()
    const { organization_id } = await bootstrap(settingsOf(email))
    const { api_key } = createApiKey('prod')
    await bootstrap(settingsOf(email, { BOOTSTRAP_API_KEY: api_key }))
    expect(await counts(organization_id)).toEqual({ members: 1, keys: 2 })
    const more = await bootstrap(settingsOf(email), '--add-key')
    expect(more.api_key).toMatch(/^slk_local_/)
    expect(await counts(organization_id)).toEqual({ members: 1, keys: 3 })
  })
})

describe('a request that does not match the existing account', () => {
  test('rejects another password or organization and changes nothing', async () => {
    const email = anEmail()
    const { organization_id } = await bootstrap(settingsOf(email))
    const wrong = bootstrap(settingsOf(email, { BOOTSTRAP_PASSWORD: 'another horse' }))
    await expect(wrong).rejects.toThrow('is registered with another password')
    const other = bootstrap(settingsOf(email, { BOOTSTRAP_ORGANIZATION: 'Other' }), '--add-key')
    await expect(other).rejects.toThrow(`belongs to "Acme ${email}"; name that organization`)
    expect(await counts(organization_id)).toEqual({ members: 1, keys: 1 })
  })

  test('accepts a password or name that was changed since', async () => {
    const settings = settingsOf(anEmail())
    const { organization_id, email } = await bootstrap(settings)
    await database.query(
      `update users set password_hash = 'x', password_changed_at = now() where email = $1`,
      [email]
    )
    await database.query(`update organizations set name = 'Renamed' where organization_id = $1`, [
      organization_id
    ])
    await database.query(
      `insert into audit_log (organization_id, entry_id, actor_kind, action)
       values ($1, gen_random_uuid(), 'user', 'organization.renamed')`,
      [organization_id]
    )
    expect(await bootstrap(settings)).toMatchObject({ organization_id, key_id: null })
  })

  test('rejects a key of another organization, or with another secret', async () => {
    const { key_id } = await bootstrap(settingsOf(anEmail()))
    const { api_key } = createApiKey('prod')
    const mine = settingsOf(anEmail(), { BOOTSTRAP_API_KEY: api_key })
    await bootstrap(mine)
    const theirs = settingsOf(anEmail(), { BOOTSTRAP_API_KEY: api_key })
    await expect(bootstrap(theirs)).rejects.toThrow(
      'belongs to another organization; generate a key'
    )
    const peppered = { ...mine, API_KEY_PEPPER: `another ${pepper}` }
    await expect(bootstrap(peppered)).rejects.toThrow('API_KEY_PEPPER has changed since')
    expect(key_id).not.toBeNull()
    const rows = await database.query('select user_id from users where email = $1', [
      theirs['BOOTSTRAP_EMAIL']
    ])
    expect(rows).toEqual([])
  })
})
