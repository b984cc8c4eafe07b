/** Tests authentication with API keys: accepted keys, and the errors for other keys. */
import { describe, expect, test } from '@jest/globals'
import { parseApiKey } from '../../../core/ids/api-key.ts'
import type { ApiKeyScope } from '../../../core/ids/api-key.ts'
import { Problem } from '../../../core/problem.ts'
import { createAuthenticate } from '../../../auth/authenticate.ts'
import { KeyProblem } from '../../../auth/key-problem.ts'
import { selectApiKeys } from '../../../auth/select-api-keys.ts'
import { noon } from '../../support/builders.ts'
import { problemOf } from '../api/fakes.ts'
import { aKey, FakeClock, FakeKeyTable, organizationId, pepper } from './fakes.ts'
import type { KeyRow } from './fakes.ts'

function scene(overrides: Partial<KeyRow> = {}) {
  const table = new FakeKeyTable()
  const key = aKey(overrides)
  table.rows.set(key.key_id, key.row)
  const findApiKey = async (keyId: string) =>
    (await selectApiKeys(table, [keyId])).get(keyId) ?? null
  const used: string[] = []
  const authenticateNow = createAuthenticate({
    ...{ findApiKey, pepper, clock: new FakeClock() },
    noteUse: (keyId) => void used.push(keyId)
  })
  const authenticate = async (...args: Parameters<typeof authenticateNow>) =>
    authenticateNow(...args)
  const pass = (scope: ApiKeyScope = 'ingest') => authenticate(`Bearer ${key.api_key}`, scope)
  return { ...key, table, authenticate, pass, used }
}

describe('an accepted key', () => {
  test('yields its organization, scopes and limits', async () => {
    const { pass, key_id } = scene({ rate_limit_points: 5, scopes: ['ingest', 'profiles:read'] })
    expect(await pass()).toEqual({
      kind: 'api_key',
      organization_id: organizationId,
      key_id,
      scopes: ['ingest', 'profiles:read'],
      rate_limit_points: 5,
      key_rate_limit_points: null
    })
  })

  test.each(['Bearer KEY', 'bearer KEY', 'BEARER   KEY', 'Bearer KEY  '])(
    'accepts a key sent as %j',
    async (header) => {
      const { authenticate, api_key } = scene()
      const principal = await authenticate(header.replace('KEY', api_key), 'ingest')
      expect(principal.organization_id).toBe(organizationId)
    }
  )

  test('the scope admin includes all others', async () => {
    const { pass } = scene({ scopes: ['admin'] })
    expect((await pass('feedback:write')).scopes).toEqual(['admin'])
  })

  test('a key is valid until the moment it expires', async () => {
    await scene({ expires_at: new Date(noon + 1) }).pass()
    const problem = await problemOf(scene({ expires_at: new Date(noon) }).pass())
    expect(problem.options.detail).toBe('The API key has expired.')
  })
})

describe('rejects a malformed credential without a lookup', () => {
  const { api_key } = aKey()
  const otherCharacter = api_key.at(-1) === '0' ? '1' : '0'

  test.each<[string, string, string | undefined]>([
    ['api_key_required', 'nothing', undefined],
    ['api_key_required', 'an empty header', ''],
    ['api_key_required', 'no scheme', api_key],
    ['api_key_required', 'another scheme', `Basic ${api_key}`],
    ['api_key_required', 'a scheme alone', 'Bearer '],
    ['api_key_required', 'two keys', `Bearer ${api_key} ${api_key}`],
    ['api_key_required', 'a session', 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln'],
    ['api_key_malformed', 'a key cut off', `Bearer ${api_key.slice(0, -1)}`],
    ['api_key_malformed', 'a key with extra characters', `Bearer ${api_key}x`],
    ['api_key_malformed', 'a wrong checksum', `Bearer ${api_key.slice(0, -1)}${otherCharacter}`],
    ['api_key_malformed', 'a prefix alone', 'Bearer slk_']
  ])('%s: %s', async (code, _what, header) => {
    const { authenticate, table } = scene()
    const problem = await problemOf(authenticate(header, 'ingest'))
    expect(problem.code).toBe(code)
    expect(problem.options.headers).toEqual({ 'www-authenticate': 'Bearer realm="sluice"' })
    expect(table.queries).toBe(0)
  })
})

describe('rejects an invalid key with 401 and a detail', () => {
  const invalid = 'Bearer realm="sluice", error="invalid_token"'

  test.each<[string, string, (setup: ReturnType<typeof scene>) => void]>([
    ['unknown', 'No such API key exists.', ({ table }) => table.rows.clear()],
    [
      'revoked',
      'The API key was revoked.',
      ({ row }) => void (row.revoked_at = new Date(noon - 1))
    ],
    [
      'expired',
      'The API key has expired.',
      ({ row }) => void (row.expires_at = new Date(noon - 1))
    ],
    [
      'with a known id and another secret',
      'No such API key exists.',
      ({ row }) => void (row.secret_digest = aKey().row.secret_digest)
    ]
  ])('a key that is %s', async (_what, detail, change) => {
    const setup = scene()
    change(setup)
    const problem = await problemOf(setup.pass())
    expect(problem.code).toBe('api_key_invalid')
    expect(problem.options).toEqual({ detail, headers: { 'www-authenticate': invalid } })
  })

  test('an unknown secret does not reveal that the key was revoked', async () => {
    const setup = scene({ revoked_at: new Date(noon - 1) })
    setup.row.secret_digest = aKey().row.secret_digest
    expect((await problemOf(setup.pass())).options.detail).toBe('No such API key exists.')
  })
})

test.each<ApiKeyScope>(['evaluation:read', 'feedback:write', 'admin'])(
  'rejects a key without the scope %s with 403 and names the scope',
  async (scope) => {
    const problem = await problemOf(scene().pass(scope))
    expect(problem.code).toBe('scope_missing')
    expect(problem.options.members).toEqual({ scope })
  }
)

test('accepts any one of several scopes and names all of them in the error', async () => {
  const needed = ['evaluation:write', 'feedback:write'] as const
  const pass = ({ authenticate, api_key }: ReturnType<typeof scene>) =>
    authenticate(`Bearer ${api_key}`, needed)
  for (const scope of needed) {
    expect((await pass(scene({ scopes: [scope] }))).scopes).toEqual([scope])
  }
  const problem = await problemOf(pass(scene()))
  expect(problem.options.detail).toContain('the required scope: evaluation:write or feedback:write')
})

describe('an error names the owner of the key', () => {
  test.each<[string, Partial<KeyRow>]>([
    ['revoked', { revoked_at: new Date(noon - 1) }],
    ['expired', { expires_at: new Date(noon - 1) }],
    ['without the scope', { scopes: ['profiles:read'] }]
  ])('that is %s', async (_what, row) => {
    const setup = scene(row)
    const problem = await problemOf(setup.pass())
    expect(problem).toBeInstanceOf(KeyProblem)
    expect(problem).toMatchObject({ principal: { key_id: setup.key_id } })
  })

  test('but not when the secret is wrong', async () => {
    const setup = scene({ revoked_at: new Date(noon - 1) })
    setup.row.secret_digest = aKey().row.secret_digest
    expect(await problemOf(setup.pass())).not.toBeInstanceOf(KeyProblem)
  })
})

test('passes on an error of the key lookup', async () => {
  const unavailable = new Problem('authentication_unavailable', { detail: 'Away.' })
  const setup = scene()
  setup.table.failure = unavailable
  expect(await problemOf(setup.pass())).toBe(unavailable)
})

test('never quotes the key in an error', async () => {
  const setup = scene()
  setup.table.rows.clear()
  const problem = await problemOf(setup.pass())
  const secret = parseApiKey(setup.api_key)?.secret ?? ''
  expect(JSON.stringify(problem.options)).not.toContain(secret)
})

test('a verified header does not validate another secret', async () => {
  const [mine, others] = [aKey(), aKey()]
  const table = new FakeKeyTable()
  table.rows.set(mine.key_id, mine.row)
  const row = (await selectApiKeys(table, [mine.key_id])).get(mine.key_id) ?? null
  const authenticate = createAuthenticate({
    ...{ findApiKey: () => row, pepper, clock: new FakeClock() },
    noteUse: () => {}
  })
  const pass = async ({ api_key }: { api_key: string }) =>
    authenticate(`Bearer ${api_key}`, 'ingest')
  for (let again = 0; again < 3; again++) {
    expect((await pass(mine)).key_id).toBe(mine.key_id)
    expect((await problemOf(pass(others))).code).toBe('api_key_invalid')
  }
})

describe('a header that was verified before', () => {
  /** Verifies the header once, so that a test can then change the row of its API key. */
  async function verified() {
    const setup = scene()
    await setup.pass()
    return setup
  }

  test('is rejected once its key is revoked', async () => {
    const setup = await verified()
    setup.row.revoked_at = new Date(noon - 1)
    expect((await problemOf(setup.pass())).code).toBe('api_key_invalid')
  })

  test('is rejected once its key has another secret', async () => {
    const setup = await verified()
    setup.row.secret_digest = aKey().row.secret_digest
    expect((await problemOf(setup.pass())).code).toBe('api_key_invalid')
  })

  test('has the current scopes of its key', async () => {
    const setup = await verified()
    setup.row.scopes = ['profiles:read']
    expect((await problemOf(setup.pass())).code).toBe('scope_missing')
    expect((await setup.pass('profiles:read')).key_id).toBe(setup.key_id)
  })

  test('is recorded as used each time', async () => {
    const setup = await verified()
    await setup.pass()
    expect(setup.used).toEqual([setup.key_id, setup.key_id])
  })
})
