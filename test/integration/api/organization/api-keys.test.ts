/** Tests API keys over HTTP with a real database; test/e2e/api-keys.test.ts sends decisions with
 * them.
 */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parseApiKey } from '../../../../core/ids/api-key.ts'
import { keysMax } from '../../../../api/organization/keys/routes.ts'
import { createScene } from '../scene.ts'
import type { Scene } from '../scene.ts'
import { auditOf, createOrganization, createMember } from './test-users.ts'
import type { TestUser } from './test-users.ts'

const root = '/v1/auth/api-keys'
const dayMs = 86_400_000
let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

interface Key extends Record<string, unknown> {
  readonly key_id: string
  readonly key: string
  readonly state: string
  readonly expires_at: string | null
}

interface Rotated extends Key {
  readonly replaces: { readonly key_id: string; readonly expires_at: string }
}

interface Page {
  readonly data: readonly Key[]
  readonly meta: { readonly next_cursor: string | null }
}

async function anAdmin(): Promise<{ id: string; admin: TestUser }> {
  const id = await createOrganization(scene)
  return { id, admin: await createMember(scene, id, 'admin') }
}

async function aKey(by: TestUser, members: object = {}): Promise<Key> {
  const { status, body, text } = await by.send<Key>('POST', root, { name: 'agents', ...members })
  if (status !== 201) throw new Error(`answered ${status}: ${text}`)
  return body
}

function inDays(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString()
}

describe('a key', () => {
  test('is shown whole when it is created, and never again', async () => {
    const { id, admin } = await anAdmin()
    const { key, ...made } = await aKey(admin)
    const parts = parseApiKey(key)
    expect(parts?.key_id).toBe(made.key_id)
    expect(made).toEqual({
      ...{ key_id: made.key_id, prefix: `slk_live_${made.key_id}`, name: 'agents' },
      ...{ environment: 'live', scopes: ['ingest'], rate_limit_points: null },
      ...{ created_by: admin.user_id, created_at: expect.any(String), expires_at: null },
      ...{ revoked_at: null, replaced_by: null, last_used_at: null, state: 'active' },
      ...{ accepted_24h: 0, rejected_24h: 0 }
    })
    const shown = await admin.send('GET', `${root}/${made.key_id}`)
    const list = await admin.send<Page>('GET', root)
    expect(list.body.data).toEqual([shown.body])
    const log = await auditOf(scene, id)
    expect(log.map(({ action, target }) => [action, target])).toEqual([
      ['api_key.created', made.key_id]
    ])
    const shownTexts = shown.text + list.text + JSON.stringify(log)
    expect(shownTexts).not.toContain(parts?.secret)
    expect(shownTexts).not.toContain('digest')
  })

  test('has the requested properties', async () => {
    const { admin } = await anAdmin()
    const expires_at = inDays(30)
    const scopes = ['evaluation:read', 'admin']
    const key = await aKey(admin, {
      ...{ name: 'judge 🦫', environment: 'eu1', scopes, expires_at, rate_limit_points: 7 }
    })
    expect(key).toMatchObject({ name: 'judge 🦫', scopes, expires_at, rate_limit_points: 7 })
    expect(key.key).toMatch(/^slk_eu1_/)
  })

  test('is updated as requested, but not after it has ended', async () => {
    const { id, admin } = await anAdmin()
    const { key_id } = await aKey(admin, { scopes: ['ingest', 'feedback:write'] })
    const path = `${root}/${key_id}`
    const expires_at = inDays(1)
    const changed = await admin.send('PATCH', path, { name: 'other', expires_at })
    expect(changed.body).toMatchObject({
      ...{ name: 'other', expires_at, state: 'expiring', scopes: ['ingest', 'feedback:write'] }
    })
    expect((await admin.send('PATCH', path, { expires_at: null })).body['state']).toBe('active')
    const revoked = await admin.send('DELETE', path)
    expect([revoked.status, revoked.body['state']]).toEqual([200, 'revoked'])
    const again = await admin.send('POST', `${path}/revoke`)
    expect([again.status, again.body]).toEqual([200, revoked.body])
    const refused = await admin.send('PATCH', path, { name: 'late' })
    expect([refused.status, refused.body['code']]).toEqual([409, 'key_ended'])
    const details = { name: 'other', changed: ['expires_at', 'name'] }
    expect((await auditOf(scene, id)).slice(1)).toEqual([
      { action: 'api_key.changed', target: key_id, details },
      expect.objectContaining({ action: 'api_key.changed' }),
      { action: 'api_key.revoked', target: key_id, details: { name: 'other' } }
    ])
  })

  test.each([
    [{ expires_at: '2001-01-01T00:00:00Z' }, '/expires_at'],
    [{ expires_at: '2999-02-30T00:00:00Z' }, '/expires_at'],
    [{ expires_at: 'soon' }, '/expires_at'],
    [{ environment: 'EU' }, '/environment'],
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['root'] }, '/scopes/0'],
    [{ name: 'a\u0000b' }, '/name'],
    [{ name: '' }, '/name'],
    [{ rate_limit_points: 0 }, '/rate_limit_points'],
    [{ key_id: 'mine' }, '/key_id']
  ])('is rejected with %j', async (members, pointer) => {
    const { status, body } = await scene.send({
      ...{ method: 'POST', path: root, body: { name: 'agents', ...members } }
    })
    expect([status, body['errors']]).toEqual([422, [expect.objectContaining({ pointer })]])
  })

  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/revoke'],
    ['POST', '/rotate']
  ] as const)(
    'of another organization gets the same response as an unknown key: %s %s',
    async (method, rest) => {
      const { admin } = await anAdmin()
      const { key_id } = await aKey((await anAdmin()).admin)
      const body = method === 'PATCH' || rest === '/rotate' ? {} : undefined
      const responseFor = async (id: string) => {
        const { status, text } = await admin.send(method, `${root}/${id}${rest}`, body)
        return [status, text.replaceAll(id, '…').replace(/"request_id":"[^"]*"/, '')]
      }
      expect(await responseFor(key_id)).toEqual(await responseFor('0123456789ab'))
      expect((await responseFor(key_id))[0]).toBe(404)
    }
  )

  test('requires the role admin', async () => {
    for (const role of ['viewer', 'member']) {
      const { status, body } = await scene.send({ method: 'GET', path: root, role })
      expect([status, body['code']]).toEqual([403, 'role_missing'])
    }
  })
})

test('shows the counts of a key if they are known', async () => {
  const { admin } = await anAdmin()
  const { key_id } = await aKey(admin)
  const shown = async () => (await admin.send('GET', `${root}/${key_id}`)).body
  expect(await shown()).toMatchObject({ accepted_24h: null, rejected_24h: null })
  const { keyCounts } = scene.readUsage
  const counted = { accepted: 7, rejected: 2, rejected_by_code: {}, dropped: {} }
  scene.readUsage.keyCounts = async () => Promise.resolve(new Map([[key_id, counted]]))
  expect(await shown()).toMatchObject({ accepted_24h: 7, rejected_24h: 2 })
  scene.readUsage.keyCounts = keyCounts
})

describe('rotation', () => {
  test('creates a key like the old one, which works during the grace period', async () => {
    const { id, admin } = await anAdmin()
    const old = await aKey(admin, { scopes: ['ingest', 'profiles:read'], environment: 'eu' })
    const rotation = { grace_seconds: 3600 }
    const { status, body } = await admin.send<Rotated>(
      'POST',
      `${root}/${old.key_id}/rotate`,
      rotation
    )
    expect([status, body.state, body['scopes']]).toEqual([201, 'active', old['scopes']])
    expect(body.key).toMatch(/^slk_eu_/)
    expect(body.replaces.key_id).toBe(old.key_id)
    const before = (await admin.send('GET', `${root}/${old.key_id}`)).body
    expect(before).toMatchObject({ state: 'expiring', replaced_by: body.key_id })
    expect(before['expires_at']).toBe(body.replaces.expires_at)
    for (const [path, sent] of [
      [`${root}/${old.key_id}/rotate`, {}],
      [`${root}/${old.key_id}`, { expires_at: null }]
    ] as const) {
      const method = path.endsWith('rotate') ? 'POST' : 'PATCH'
      const refused = await admin.send(method, path, sent)
      expect([refused.status, refused.body['code']]).toEqual([409, 'key_ended'])
    }
    const log = await auditOf(scene, id)
    expect(log.map(({ action, target }) => [action, target])).toEqual([
      ['api_key.created', old.key_id],
      ['api_key.rotated', old.key_id]
    ])
    expect(JSON.stringify(log)).not.toContain(parseApiKey(body.key)?.secret)
  })

  test('ends the old key at once without a grace period, and never later than before', async () => {
    const { admin } = await anAdmin()
    const one = await aKey(admin)
    await admin.send('POST', `${root}/${one.key_id}/rotate`, { grace_seconds: 0 })
    expect((await admin.send('GET', `${root}/${one.key_id}`)).body['state']).toBe('rotated')
    const other = await aKey(admin, { expires_at: inDays(1) })
    const rotation = { grace_seconds: 30 * 86_400, expires_at: inDays(90) }
    const { body } = await admin.send<Rotated>('POST', `${root}/${other.key_id}/rotate`, rotation)
    expect(body.replaces.expires_at).toBe(other.expires_at)
    expect(body.expires_at).toBe(rotation.expires_at)
  })

  test('creates one key when requested twice concurrently', async () => {
    const { admin } = await anAdmin()
    const { key_id } = await aKey(admin)
    const answers = await Promise.all(
      [1, 2, 3].map(() => admin.send('POST', `${root}/${key_id}/rotate`, {}))
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect((await admin.send<Page>('GET', root)).body.data).toHaveLength(2)
  })
})

describe('the list', () => {
  test('is paged, newest first, and can be filtered by state', async () => {
    const { admin } = await anAdmin()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.unshift((await aKey(admin, { name })).key_id)
    await admin.send('DELETE', `${root}/${ids[2]}`)
    const seen: string[] = []
    let path = `${root}?limit=2`
    for (let pages = 0; pages < 4; pages += 1) {
      const { data, meta } = (await admin.send<Page>('GET', path)).body
      seen.push(...data.map(({ key_id }) => key_id))
      if (meta.next_cursor === null) break
      path = `${root}?limit=2&cursor=${meta.next_cursor}`
    }
    expect(seen).toEqual(ids)
    const revoked = await admin.send<Page>('GET', `${root}?state=revoked`)
    expect(revoked.body.data.map(({ key_id }) => key_id)).toEqual([ids[2]])
    const forged = Buffer.from("x' or '\u0000").toString('base64url')
    expect((await admin.send<Page>('GET', `${root}?cursor=${forged}`)).body.data).toEqual([])
  })

  test('limits the number of keys that work', async () => {
    const { id, admin } = await anAdmin()
    await scene.database.query(
      `insert into api_keys (key_id, organization_id, name, environment, secret_digest, scopes)
       select lpad(n::text, 4, '0') || substr($1, 1, 8), $1::uuid, 'many', 'test', '', '{ingest}'
         from generate_series(2, $2) n`,
      [id, keysMax]
    )
    const { key_id } = await aKey(admin)
    const refused = await admin.send('POST', root, { name: 'one more' })
    expect([refused.status, refused.body['code']]).toEqual([409, 'limit_reached'])
    const path = `${root}/${key_id}/rotate`
    expect((await admin.send('POST', path, {})).body['code']).toBe('limit_reached')
    expect((await admin.send('POST', path, { grace_seconds: 0 })).status).toBe(201)
  })
})
