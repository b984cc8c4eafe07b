/** API keys by the command line, and what running gateways make of it. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parseApiKey } from '../../../core/ids/api-key.ts'
import { createRedis } from '../../../platform/redis/redis.ts'
import { runSluice } from '../../../stack/sluice-command.ts'
import type { Application } from '../../support/application.ts'
import { aDecisionBody } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createDatabase, dropDatabase } from '../../support/create-database.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation, Tenant } from '../../support/installation.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

let sluice: Installation
let tenant: Tenant
let gateways: readonly Application[]

/** Within this time a change is seen although nobody told of it. */
const seenWithinMs = 5000
const nobodysRedis = 'redis://127.0.0.1:1'

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant()
  // The third is told nothing: where it takes Redis to be, nobody answers.
  gateways = await Promise.all([
    sluice.start('gateway'),
    sluice.start('gateway'),
    sluice.start('gateway', { REDIS_URL: nobodysRedis })
  ])
}, 120_000)

interface Created {
  readonly key_id: string
  readonly api_key: string
  readonly old_expires_at: string
}

async function create(...options: string[]): Promise<Created> {
  const { organization_id } = tenant
  const named = ['--organization', organization_id, '--name', 'test', '--json']
  return JSON.parse(await sluice.sluice('keys', 'create', ...named, ...options)) as Created
}

async function rotate(keyId: string, ...options: string[]): Promise<Created> {
  return JSON.parse(await sluice.sluice('keys', 'rotate', keyId, '--json', ...options)) as Created
}

async function send(gateway: Application | undefined, apiKey: string): Promise<Response> {
  return fetch(`${gateway?.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(aDecisionBody())
  })
}

async function statusesOf(apiKey: string): Promise<number[]> {
  return Promise.all(gateways.map(async (gateway) => (await send(gateway, apiKey)).status))
}

describe('a key that was made', () => {
  test('is shown once, works everywhere, and has what it was given', async () => {
    const made = await create(
      '--scopes',
      'ingest,profiles:read',
      '--expires',
      '1d',
      '--env',
      'test'
    )
    expect(parseApiKey(made.api_key)?.key_id).toBe(made.key_id)
    expect(made.api_key).toMatch(/^slk_test_/)
    expect(await statusesOf(made.api_key)).toEqual([202, 202, 202])
    const listed = await sluice.sluice('keys', 'list', '--organization', tenant.organization_id)
    expect(listed).toContain(made.key_id)
    expect(listed).toContain('ingest,profiles:read')
    expect(listed).not.toContain(made.api_key.slice(22))
  })

  test('has a limit of its own beside its organization', async () => {
    const { api_key } = await create('--rate-limit', '2')
    const answers = [await send(gateways[0], api_key), await send(gateways[0], api_key)]
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[0]?.headers.get('ratelimit')).toMatch(/^"key";r=1;/)
    expect((await send(gateways[1], api_key)).status).toBe(429)
    expect(await statusesOf(tenant.api_key)).toEqual([202, 202, 202])
  })

  test('may not send without the scope, nor after its time', async () => {
    const reader = await create('--scopes', 'evaluation:read')
    expect((await send(gateways[0], reader.api_key)).status).toBe(403)
    const short = await create('--expires', '0s')
    expect((await send(gateways[0], short.api_key)).status).toBe(401)
  })
})

test('a revoked key is refused everywhere in time, told of it or not', async () => {
  const { api_key, key_id } = await create()
  expect(await statusesOf(api_key)).toEqual([202, 202, 202])
  expect(await sluice.sluice('keys', 'revoke', api_key)).toContain('Gateways were told.')
  const revokedAt = performance.now()
  expect((await statusesOf(api_key)).slice(0, 2)).toEqual([401, 401])
  await waitUntil('the third refuses it as well', async () => {
    const { status } = await send(gateways[2], api_key)
    return status === 401 ? true : null
  })
  expect(performance.now() - revokedAt).toBeLessThan(2 * seenWithinMs)
  expect(await sluice.sluice('keys', 'revoke', key_id)).toContain('was revoked at')
})

test('a gateway that lost its connection to Redis hears again', async () => {
  const redis = createRedis(String(sluice.environment['REDIS_URL']))
  onEnd(() => Promise.resolve(redis.disconnect()))
  await waitUntil('the connections are cut', () => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'))
  await waitUntil('both are told of a change again', async () => {
    const { api_key, key_id } = await create()
    expect(await statusesOf(api_key)).toEqual([202, 202, 202])
    await sluice.sluice('keys', 'revoke', key_id)
    const told = (await statusesOf(api_key)).slice(0, 2)
    return told.every((status) => status === 401)
  })
})

test('without Redis a key is revoked all the same, and the command says so', async () => {
  const { key_id } = await create()
  const said = await runSluice({
    args: ['keys', 'revoke', key_id],
    environment: { ...sluice.environment, REDIS_URL: nobodysRedis }
  })
  expect(said).toContain('they find out within 5 seconds')
})

describe('a key that is rotated', () => {
  test('goes on for the grace, beside the one that takes its place', async () => {
    const old = await create('--expires', '30d', '--rate-limit', '50')
    const successor = await rotate(old.key_id, '--grace', '1h')
    expect(await statusesOf(old.api_key)).toEqual([202, 202, 202])
    expect(await statusesOf(successor.api_key)).toEqual([202, 202, 202])
    const [row] = await sluice.database.query<{ days: number; points: number; name: string }>(
      `select round(extract(epoch from expires_at - now()) / 86400)::int as days, name,
              rate_limit_points as points from api_keys where key_id = $1`,
      [successor.key_id]
    )
    expect(row).toEqual({ days: 30, points: 50, name: 'test' })
    const left = new Date(successor.old_expires_at).getTime() - Date.now()
    expect(Math.round(left / 60_000)).toBe(60)
    await expect(rotate(old.key_id)).rejects.toThrow('was rotated already')
  })

  test('ends with the grace, and the successor goes on', async () => {
    const old = await create()
    const successor = await rotate(old.key_id, '--grace', '2s')
    await waitUntil('the old key has ended everywhere', async () =>
      (await statusesOf(old.api_key)).every((status) => status === 401)
    )
    expect(Date.now()).toBeGreaterThanOrEqual(new Date(successor.old_expires_at).getTime())
    expect(await statusesOf(successor.api_key)).toEqual([202, 202, 202])
    const listed = await sluice.sluice('keys', 'list', '--organization', tenant.organization_id)
    expect(listed).toMatch(new RegExp(`^${old.key_id} .* expired `, 'm'))
  })

  test('ends at once without a grace', async () => {
    const old = await create()
    expect(await statusesOf(old.api_key)).toEqual([202, 202, 202])
    await rotate(old.key_id, '--grace', '0s')
    expect((await statusesOf(old.api_key)).slice(0, 2)).toEqual([401, 401])
  })
})

test('what is asked for and is not there is said so', async () => {
  await expect(sluice.sluice('keys', 'revoke', 'AAAAAAAAAAAA')).rejects.toThrow('there is no key')
  const named = ['--organization', 'nobody', '--name', 'x']
  await expect(sluice.sluice('keys', 'create', ...named)).rejects.toThrow(
    'there is no organization'
  )
})

test('for programs there is JSON, and no list shows a secret', async () => {
  const { api_key, key_id } = await create()
  const text = await sluice.sluice('keys', 'list', '--json')
  const listed = JSON.parse(text) as Record<string, unknown>[]
  const row = listed.find((each) => each['key_id'] === key_id)
  expect(row).toMatchObject({ name: 'test', scopes: ['ingest'], revoked_at: null })
  expect(Object.keys(row ?? {})).not.toContain('secret_digest')
  expect(text).not.toContain(parseApiKey(api_key)?.secret)
  const revoke = async (): Promise<unknown> =>
    JSON.parse(await sluice.sluice('keys', 'revoke', key_id, '--json'))
  expect(await revoke()).toEqual({ key_id, was_revoked: false, gateways_told: true })
  expect(await revoke()).toEqual({ key_id, was_revoked: true, gateways_told: true })
})

test('without its tables the database is to be migrated, and the command says so', async () => {
  const name = `sluice_empty_${Date.now()}`
  const url = await createDatabase(sluice.database.url, name)
  onEnd(() => dropDatabase(services().addresses.databaseUrl, name))
  const listed = runSluice({
    args: ['keys', 'list'],
    environment: { ...sluice.environment, DATABASE_URL: url }
  })
  await expect(listed).rejects.toThrow('sluice migrate brings it there')
})

test('when a key was last used is written when gateways stop, by all at once', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => create()))
  const two = await Promise.all([sluice.start('gateway'), sluice.start('gateway')])
  for (const gateway of two) {
    for (const { api_key } of made) expect((await send(gateway, api_key)).status).toBe(202)
  }
  await Promise.all(two.map((gateway) => gateway.stop()))
  const used = await sluice.database.query<{ key_id: string }>(
    `select key_id from api_keys
      where key_id = any($1) and last_used_at > now() - interval '1 minute'`,
    [made.map(({ key_id }) => key_id)]
  )
  expect(used).toHaveLength(made.length)
})
