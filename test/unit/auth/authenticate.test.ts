/** authenticate: who may pass, and what the others are told. */
import { describe, expect, test } from '@jest/globals'
import { parseApiKey } from '../../../core/ids/api-key.ts'
import type { ApiKeyScope } from '../../../core/ids/api-key.ts'
import { Problem } from '../../../core/problem.ts'
import { createAuthenticate } from '../../../auth/authenticate.ts'
import { KeyRefusal } from '../../../auth/key-refusal.ts'
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

describe('who passes', () => {
  test('is the organization of the key, with its scopes and its limit', async () => {
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
    '%j is how a key is sent',
    async (header) => {
      const { authenticate, api_key } = scene()
      const principal = await authenticate(header.replace('KEY', api_key), 'ingest')
      expect(principal.organization_id).toBe(organizationId)
    }
  )

  test('admin may do everything', async () => {
    const { pass } = scene({ scopes: ['admin'] })
    expect((await pass('feedback:write')).scopes).toEqual(['admin'])
  })

  test('a key lives to the moment before it expires', async () => {
    await scene({ expires_at: new Date(noon + 1) }).pass()
    const problem = await problemOf(scene({ expires_at: new Date(noon) }).pass())
    expect(problem.options.detail).toBe('It has expired.')
  })
})

describe('what is no credential is refused without a look-up', () => {
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
    ['api_key_malformed', 'a key with more behind it', `Bearer ${api_key}x`],
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

describe('what is no valid key is 401, with what a client is to do', () => {
  const invalid = 'Bearer realm="sluice", error="invalid_token"'

  test.each<[string, string, (line: ReturnType<typeof scene>) => void]>([
    ['unknown', 'It is not known here.', ({ table }) => table.rows.clear()],
    ['revoked', 'It was revoked.', ({ row }) => void (row.revoked_at = new Date(noon - 1))],
    ['expired', 'It has expired.', ({ row }) => void (row.expires_at = new Date(noon - 1))],
    [
      'of the right id and another secret',
      'It is not known here.',
      ({ row }) => void (row.secret_digest = aKey().row.secret_digest)
    ]
  ])('a key that is %s', async (_what, detail, change) => {
    const line = scene()
    change(line)
    const problem = await problemOf(line.pass())
    expect(problem.code).toBe('api_key_invalid')
    expect(problem.options).toEqual({ detail, headers: { 'www-authenticate': invalid } })
  })

  test('a stranger with a known id does not learn that it was revoked', async () => {
    const line = scene({ revoked_at: new Date(noon - 1) })
    line.row.secret_digest = aKey().row.secret_digest
    expect((await problemOf(line.pass())).options.detail).toBe('It is not known here.')
  })
})

test.each<ApiKeyScope>(['evaluation:read', 'feedback:write', 'admin'])(
  'a key without the scope %s is 403 and is told which it lacks',
  async (scope) => {
    const problem = await problemOf(scene().pass(scope))
    expect(problem.code).toBe('scope_missing')
    expect(problem.options.members).toEqual({ scope })
  }
)

test('any of several scopes will do, and all are told', async () => {
  const needed = ['evaluation:write', 'feedback:write'] as const
  const pass = ({ authenticate, api_key }: ReturnType<typeof scene>) =>
    authenticate(`Bearer ${api_key}`, needed)
  for (const scope of needed) {
    expect((await pass(scene({ scopes: [scope] }))).scopes).toEqual([scope])
  }
  const problem = await problemOf(pass(scene()))
  expect(problem.options.detail).toContain('the scope evaluation:write or feedback:write')
})

describe('a refusal tells whose key it was', () => {
  test.each<[string, Partial<KeyRow>]>([
    ['revoked', { revoked_at: new Date(noon - 1) }],
    ['expired', { expires_at: new Date(noon - 1) }],
    ['without the scope', { scopes: ['profiles:read'] }]
  ])('that is %s', async (_what, row) => {
    const line = scene(row)
    const problem = await problemOf(line.pass())
    expect(problem).toBeInstanceOf(KeyRefusal)
    expect(problem).toMatchObject({ principal: { key_id: line.key_id } })
  })

  test('but not where the secret is another', async () => {
    const line = scene({ revoked_at: new Date(noon - 1) })
    line.row.secret_digest = aKey().row.secret_digest
    expect(await problemOf(line.pass())).not.toBeInstanceOf(KeyRefusal)
  })
})

test('a store that does not answer is not the fault of the key', async () => {
  const away = new Problem('authentication_unavailable', { detail: 'Away.' })
  const line = scene()
  line.table.failure = away
  expect(await problemOf(line.pass())).toBe(away)
})

test('no refusal quotes the key', async () => {
  const line = scene()
  line.table.rows.clear()
  const problem = await problemOf(line.pass())
  const secret = parseApiKey(line.api_key)?.secret ?? ''
  expect(JSON.stringify(problem.options)).not.toContain(secret)
})

test('a secret that was right once does not make another right', async () => {
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

describe('a header that was proven', () => {
  /** A key whose row can be exchanged while its header stays the same. */
  async function proven() {
    const line = scene()
    await line.pass()
    return line
  }

  test('does not pass any more once its key is revoked', async () => {
    const line = await proven()
    line.row.revoked_at = new Date(noon - 1)
    expect((await problemOf(line.pass())).code).toBe('api_key_invalid')
  })

  test('does not pass any more once its key has another secret', async () => {
    const line = await proven()
    line.row.secret_digest = aKey().row.secret_digest
    expect((await problemOf(line.pass())).code).toBe('api_key_invalid')
  })

  test('passes with the scopes that its key has now', async () => {
    const line = await proven()
    line.row.scopes = ['profiles:read']
    expect((await problemOf(line.pass())).code).toBe('scope_missing')
    expect((await line.pass('profiles:read')).key_id).toBe(line.key_id)
  })

  test('is noted as used each time', async () => {
    const line = await proven()
    await line.pass()
    expect(line.used).toEqual([line.key_id, line.key_id])
  })
})
