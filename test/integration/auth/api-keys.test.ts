/** Tests that running gateways apply API key changes made on the command line. */
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

/** Maximum time until a gateway that is not notified sees a change. */
const seenWithinMs = 5000
const unreachableRedis = 'redis://127.0.0.1:1'

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant()
  // The third gateway is not notified, because its Redis is unreachable.
  gateways = await Promise.all([
    sluice.start('gateway'),
    sluice.start('gateway'),
    sluice.start('gateway', { REDIS_URL: unreachableRedis })
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

describe('a new key', () => {
  test('is shown once, works on every gateway, and has the given properties', async () => {
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

  test('has its own rate limit in addition to that of the organization', async () => {
    const { api_key } = await create('--rate-limit', '2')
    const answers = [await send(gateways[0], api_key), await send(gateways[0], api_key)]
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[0]?.headers.get('ratelimit')).toMatch(/^"key";r=1;/)
    expect((await send(gateways[1], api_key)).status).toBe(429)
    expect(await statusesOf(tenant.api_key)).toEqual([202, 202, 202])
  })

  test('cannot send without the scope or after its expiry', async () => {
    const reader = await create('--scopes', 'evaluation:read')
    expect((await send(gateways[0], reader.api_key)).status).toBe(403)
    const short = await create('--expires', '0s')
    expect((await send(gateways[0], short.api_key)).status).toBe(401)
  })
})

test('rejects a revoked key on every gateway in time, notified or not', async () => {
  const { api_key, key_id } = await create()
  expect(await statusesOf(api_key)).toEqual([202, 202, 202])
  expect(await sluice.sluice('keys', 'revoke', api_key)).toContain('The gateways were notified.')
  const revokedAt = performance.now()
  expect((await statusesOf(api_key)).slice(0, 2)).toEqual([401, 401])
  await waitUntil('the third gateway rejects it as well', async () => {
    const { status } = await send(gateways[2], api_key)
    return status === 401 ? true : null
  })
  expect(performance.now() - revokedAt).toBeLessThan(2 * seenWithinMs)
  expect(await sluice.sluice('keys', 'revoke', key_id)).toContain('was already revoked at')
})

test('notifies a gateway again after it has lost its connection to Redis', async () => {
  const redis = createRedis(String(sluice.environment['REDIS_URL']))
  onEnd(() => Promise.resolve(redis.disconnect()))
  await waitUntil('the connections are cut', () => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'))
  await waitUntil('both are notified of a change again', async () => {
    const { api_key, key_id } = await create()
    expect(await statusesOf(api_key)).toEqual([202, 202, 202])
    await sluice.sluice('keys', 'revoke', key_id)
    const statuses = (await statusesOf(api_key)).slice(0, 2)
    return statuses.every((status) => status === 401)
  })
})

test('revokes a key without Redis, and says that gateways are not notified', async () => {
  const { key_id } = await create()
  const output = await runSluice({
    args: ['keys', 'revoke', key_id],
    environment: { ...sluice.environment, REDIS_URL: unreachableRedis }
  })
  expect(output).toContain('they notice the change within 5 seconds')
})

describe('a rotated key', () => {
  test('works along with its successor during the grace period', async () => {
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
    await expect(rotate(old.key_id)).rejects.toThrow('was already rotated')
  })

  test('expires with the grace period, while its successor works', async () => {
    const old = await create()
    const successor = await rotate(old.key_id, '--grace', '2s')
    await waitUntil('the old key is rejected everywhere', async () =>
      (await statusesOf(old.api_key)).every((status) => status === 401)
    )
    expect(Date.now()).toBeGreaterThanOrEqual(new Date(successor.old_expires_at).getTime())
    expect(await statusesOf(successor.api_key)).toEqual([202, 202, 202])
    const listed = await sluice.sluice('keys', 'list', '--organization', tenant.organization_id)
    expect(listed).toMatch(new RegExp(`^${old.key_id} .* expired `, 'm'))
  })

  test('expires at once without a grace period', async () => {
    const old = await create()
    expect(await statusesOf(old.api_key)).toEqual([202, 202, 202])
    await rotate(old.key_id, '--grace', '0s')
    expect((await statusesOf(old.api_key)).slice(0, 2)).toEqual([401, 401])
  })
})

test('reports an unknown key or organization', async () => {
  await expect(sluice.sluice('keys', 'revoke', 'AAAAAAAAAAAA')).rejects.toThrow(
    'there is no API key'
  )
  const named = ['--organization', 'none', '--name', 'x']
  await expect(sluice.sluice('keys', 'create', ...named)).rejects.toThrow(
    'there is no organization'
  )
})

test('prints JSON for programs, and never a secret', async () => {
  const { api_key, key_id } = await create()
  const text = await sluice.sluice('keys', 'list', '--json')
  const listed = JSON.parse(text) as Record<string, unknown>[]
  const row = listed.find((each) => each['key_id'] === key_id)
  expect(row).toMatchObject({ name: 'test', scopes: ['ingest'], revoked_at: null })
  expect(Object.keys(row ?? {})).not.toContain('secret_digest')
  expect(text).not.toContain(parseApiKey(api_key)?.secret)
  const revoke = async (): Promise<unknown> =>
    JSON.parse(await sluice.sluice('keys', 'revoke', key_id, '--json'))
  expect(await revoke()).toEqual({ key_id, was_revoked: false, gateways_notified: true })
  expect(await revoke()).toEqual({ key_id, was_revoked: true, gateways_notified: true })
})

test('tells the operator to migrate a database without tables', async () => {
  const name = `sluice_empty_${Date.now()}`
  const url = await createDatabase(sluice.database.url, name)
  onEnd(() => dropDatabase(services().addresses.databaseUrl, name))
  const listed = runSluice({
    args: ['keys', 'list'],
    environment: { ...sluice.environment, DATABASE_URL: url }
  })
  await expect(listed).rejects.toThrow('run sluice migrate')
})

test('records the last use of keys when several gateways stop at the same time', async () => {
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
