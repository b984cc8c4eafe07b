/** Tests TLS connections to Redis, Postgres and the registry: trust, rejection and errors. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { rootMessageOf } from '../../../core/root-message.ts'
import { applyMigrations } from '../../../platform/postgres/migrations.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { createRedis } from '../../../platform/redis/redis.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, migrationsFolder } from '../../../schemas/index.ts'
import { createAuthority } from '../../support/certificates.ts'
import type { Authority } from '../../support/certificates.ts'
import { onEnd } from '../../support/cleanup.ts'
import { canEncryptPostgres, encryptPostgres } from '../../support/encrypt-postgres.ts'
import { uniqueName } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'
import { startHttpsFront, startRedisFront } from '../../support/tls-front.ts'
import type { HttpsFront } from '../../support/tls-front.ts'

const postgresTest = canEncryptPostgres() ? test : test.skip
const untrusted = /unable to verify the first certificate|self-signed certificate/

const otherName = /does not match certificate's altnames/
/** The certificates name only this address, so `localhost` does not match. */
const thisAddress = [{ type: 7, ip: '127.0.0.1' }] as const

let authority: Authority
let foreign: Authority

beforeAll(async () => {
  authority = await createAuthority('The authority of these services')
  foreign = await createAuthority('Another authority')
})

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.catch(rootMessageOf)
}

describe('Redis', () => {
  let front: URL

  beforeAll(async () => {
    front = await startRedisFront(
      services().addresses.redisUrl,
      await authority.issue('redis', thisAddress)
    )
  })

  async function ping(host: string, ca: string | null): Promise<string> {
    const url = new URL(front)
    url.hostname = host
    const redis = createRedis(url.href, ca)
    const { promise, resolve } = Promise.withResolvers<string>()
    redis.once('error', (error: Error) => resolve(rootMessageOf(error)))
    redis.once('ready', () => void redis.ping().then(resolve, rootMessageOf))
    return await promise.finally(() => redis.disconnect())
  }

  test('responds over TLS to a client that knows its authority', async () => {
    expect(await ping('127.0.0.1', authority.ca)).toBe('PONG')
  })

  test('is rejected without its authority, or under another name', async () => {
    expect(await ping('127.0.0.1', foreign.ca)).toMatch(untrusted)
    expect(await ping('127.0.0.1', null)).toMatch(untrusted)
    expect(await ping('localhost', authority.ca)).toMatch(otherName)
  })
})

describe('the registry', () => {
  const login = 'sluice:p@ss:word/%'
  let front: HttpsFront

  beforeAll(async () => {
    const { schemaRegistryUrl } = services().addresses
    front = await startHttpsFront(schemaRegistryUrl, await authority.issue('registry'), login)
  })

  function withLogin(text: string): string {
    const url = new URL(front.url)
    const [name = '', ...rest] = text.split(':')
    url.username = name
    url.password = encodeURIComponent(rest.join(':'))
    return url.href
  }

  test('responds over TLS with a login, to every call', async () => {
    const subject = uniqueName('secure')
    const registry = createRegistry(withLogin(login), authority.ca)
    expect(await registry.idOf(subject, decisionContract.text)).toBeNull()
    const id = await registry.register(subject, decisionContract.text)
    expect(await registry.idOf(subject, decisionContract.text)).toBe(id)
    expect(await registry.schemaOf(id)).toEqual(decisionContract.schema)
    await registry.setCompatibility(subject, 'BACKWARD_TRANSITIVE')
    expect(await registry.compatibilityOf(subject)).toBe('BACKWARD_TRANSITIVE')
    expect(front.refused()).toBe(0)
  })

  test('reports a wrong login as an error, not as a missing schema', async () => {
    const registry = createRegistry(withLogin('sluice:wrong'), authority.ca)
    const outcome = await outcomeOf(registry.idOf('any', decisionContract.text))
    expect(outcome).toBe('the schema registry responded with 401: Unauthorized')
    expect(outcome).not.toContain('wrong')
    expect(await outcomeOf(registry.compatibilityOf('any'))).toBe(outcome)
    expect(front.refused()).toBeGreaterThan(0)
  })

  test('is rejected without its authority', async () => {
    for (const ca of [foreign.ca, null]) {
      const registry = createRegistry(withLogin(login), ca)
      expect(await outcomeOf(registry.idOf('any', decisionContract.text))).toMatch(untrusted)
      expect(await outcomeOf(registry.compatibilityOf('any'))).toMatch(untrusted)
    }
  })
})

describe('Postgres', () => {
  beforeAll(async () => {
    if (canEncryptPostgres()) await encryptPostgres(await authority.issue('postgres', thisAddress))
  })

  function urlWith(sslmode: string, host = '127.0.0.1'): string {
    const url = new URL(services().addresses.databaseUrl)
    url.hostname = host
    url.searchParams.set('sslmode', sslmode)
    return url.href
  }

  async function isEncrypted(url: string, ca: string | null): Promise<unknown> {
    const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
    const postgres = createPostgres({ url, ca, applicationName: 'test', ...limits })
    onEnd(() => postgres.close())
    const statement = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'
    return await outcomeOf(postgres.query(statement).then(([row]) => row?.['ssl']))
  }

  postgresTest.each([
    ['disable', false],
    ['no-verify', true],
    ['require', true],
    ['verify-ca', true],
    ['verify-full', true]
  ])('with sslmode=%s is encrypted: %s', async (mode, encrypted) => {
    const ca = mode === 'disable' || mode === 'no-verify' ? null : authority.ca
    expect(await isEncrypted(urlWith(mode), ca)).toBe(encrypted)
  })

  postgresTest.each(['require', 'verify-ca', 'verify-full'])(
    'with sslmode=%s is not trusted when another authority is',
    async (mode) => {
      expect(await isEncrypted(urlWith(mode), foreign.ca)).toMatch(untrusted)
      expect(await isEncrypted(urlWith(mode), null)).toMatch(untrusted)
    }
  )

  postgresTest('is accepted under another name unless the mode verifies it', async () => {
    const urlOf = (mode: string): string => urlWith(mode, 'localhost')
    expect(await isEncrypted(urlOf('verify-ca'), authority.ca)).toBe(true)
    expect(await isEncrypted(urlOf('verify-full'), authority.ca)).toMatch(otherName)
    expect(await isEncrypted(urlOf('require'), authority.ca)).toMatch(otherName)
  })

  postgresTest('encrypts and verifies migrations in the same way', async () => {
    const options = { databaseUrl: urlWith('verify-full'), folder: migrationsFolder }
    expect(await outcomeOf(applyMigrations({ ...options, ca: foreign.ca }))).toMatch(untrusted)
  })
})
