/** Tests the audit log over HTTP with a database: every change with its actor, and never a secret.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createScene } from '../scene.ts'
import type { Scene } from '../scene.ts'
import { auditOf, createOrganization, createMember } from './test-users.ts'
import type { TestUser } from './test-users.ts'

const path = '/v1/auth/audit'
const keys = '/v1/auth/api-keys'
let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

interface Entry {
  readonly entry_id: string
  readonly action: string
  readonly actor: { readonly id: string | null; readonly email: string | null }
}

interface Page {
  readonly data: readonly Entry[]
  readonly meta: { readonly next_cursor: string | null }
}

async function anAdmin(): Promise<{ id: string; admin: TestUser }> {
  const id = await createOrganization(scene)
  return { id, admin: await createMember(scene, id, 'admin') }
}

async function actionsOf(by: TestUser, query: string): Promise<string[]> {
  const { status, body, text } = await by.send<Page>('GET', `${path}?${query}`)
  if (status !== 200) throw new Error(`answered ${status}: ${text}`)
  return body.data.map(({ action }) => action)
}

test('records who did what, to what, from where and in which request', async () => {
  const { admin } = await anAdmin()
  const made = await admin.send<{ key_id: string }>('POST', keys, { name: 'agents' })
  const { body } = await admin.send<Page>('GET', `${path}?action=api_key.created`)
  expect(body).toEqual({
    data: [
      {
        ...{ entry_id: expect.any(String), created_at: expect.any(String) },
        actor: { kind: 'user', id: admin.user_id, email: admin.email },
        action: 'api_key.created',
        target: { kind: 'api_key', id: made.body.key_id },
        details: {
          ...{ name: 'agents', scopes: ['ingest'], environment: 'live' },
          ...{ expires_at: null, rate_limit_points: null }
        },
        address: expect.stringContaining('127.0.0.1'),
        request_id: made.headers.get('x-request-id')
      }
    ],
    meta: {
      ...{ next_cursor: null, limit: 50 },
      applied: { from: expect.any(String), to: null }
    }
  })
})

describe('the list', () => {
  test('is paged, newest first, and filtered as requested', async () => {
    const { id, admin } = await anAdmin()
    const other = await createMember(scene, id, 'owner')
    const { body } = await admin.send<{ key_id: string }>('POST', keys, { name: 'agents' })
    await other.send('PATCH', `${keys}/${body.key_id}`, { name: 'renamed' })
    await other.send('PATCH', '/v1/auth/organization', { name: 'Renamed' })
    await admin.send('POST', `${keys}/${body.key_id}/revoke`)
    const all = ['api_key.revoked', 'organization.renamed', 'api_key.changed', 'api_key.created']

    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 20; pages += 1) {
      const page = await admin.send<Page>('GET', `${path}?limit=1${cursor}`)
      seen.push(...page.body.data.map(({ action }) => action))
      const next = page.body.meta.next_cursor
      if (next === null) break
      cursor = `&cursor=${next}`
    }
    expect(seen.filter((action) => !action.startsWith('session.'))).toEqual(all)
    expect(await actionsOf(admin, 'action=api_key')).toEqual(all.filter((a) => a !== all[1]))
    expect(await actionsOf(admin, 'action=api_key.changed')).toEqual(['api_key.changed'])
    expect(await actionsOf(admin, 'action=api')).toEqual([])
    const theirs = `actor=${other.user_id}&action=organization`
    expect(await actionsOf(admin, theirs)).toEqual(['organization.renamed'])
    const before = new Date(Date.now() - 3_600_000).toISOString()
    expect(await actionsOf(admin, `to=${before}`)).toEqual([])
  })

  test('contains only the own organization, and requires the role admin', async () => {
    const { id, admin } = await anAdmin()
    await (await anAdmin()).admin.send('POST', keys, { name: 'theirs' })
    expect(await actionsOf(admin, 'action=api_key')).toEqual([])
    for (const role of ['viewer', 'member']) {
      const { status } = await (await createMember(scene, id, role)).send('GET', path)
      expect([role, status]).toEqual([role, 403])
    }
  })

  test.each(['cursor=x', 'limit=0', 'from=yesterday', 'action=%00', 'other=1'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await scene.get(`${path}?${query}`)
      expect([status, body['code']]).toEqual([422, 'invalid_query'])
    }
  )
})

test('records each configuration change without its secrets', async () => {
  const { id, admin } = await anAdmin()
  const root = '/v1/evaluation'
  const secret = `sk-${randomUUID()}`
  async function make(kind: string, body: object): Promise<string> {
    const { status, body: made, text } = await admin.send('POST', `${root}/${kind}s`, body)
    if (status !== 201) throw new Error(`answered ${status}: ${text}`)
    return String(made[`${kind}_id`])
  }
  const models = [{ model: 'm', usd_per_million_input: 1, usd_per_million_output: 1 }]
  const connection = await make('connection', {
    ...{ name: 'judges', base_url: 'http://127.0.0.1:9/v1', api_key: secret, models }
  })
  const evaluator = await make('evaluator', {
    ...{ name: 'short', kind: 'heuristic' },
    config: { check: 'length', max: 100, unit: 'characters' }
  })
  const rule = await make('rule', { name: 'all', evaluators: [{ evaluator_id: evaluator }] })
  const webhook = await make('webhook', {
    ...{ name: 'alerts', url: `https://example.com/${secret}`, events: ['evaluation.completed'] }
  })
  await admin.send('PUT', `${root}/budget`, { usd_per_day: 5 })
  await admin.send('PATCH', `${root}/rules/${rule}`, { name: 'every one' })
  await admin.send('PATCH', `${root}/evaluators/${evaluator}`, { name: 'shorter' })
  await admin.send('PATCH', `${root}/connections/${connection}`, { api_key: `${secret}-2` })
  const rotated = await admin.send('POST', `${root}/webhooks/${webhook}/rotate-secret`)
  await admin.send('PATCH', `${root}/webhooks/${webhook}`, { enabled: false })
  await admin.send('DELETE', `${root}/rules/${rule}`)
  await admin.send('DELETE', `${root}/evaluators/${evaluator}`)
  await admin.send('DELETE', `${root}/webhooks/${webhook}`)
  await admin.send('DELETE', `${root}/connections/${connection}`)

  const log = await auditOf(scene, id)
  expect(log).toEqual([
    { action: 'connection.created', target: connection, details: { name: 'judges' } },
    { action: 'evaluator.created', target: evaluator, details: { name: 'short' } },
    { action: 'rule.created', target: rule, details: { name: 'all' } },
    { action: 'webhook.created', target: webhook, details: { name: 'alerts' } },
    { action: 'budget.changed', target: id, details: { usd_per_day: 5 } },
    {
      ...{ action: 'rule.changed', target: rule },
      details: { name: 'every one', changed: ['name'] }
    },
    {
      ...{ action: 'evaluator.changed', target: evaluator },
      details: { name: 'shorter', changed: ['name'], version: 2 }
    },
    {
      ...{ action: 'connection.changed', target: connection },
      details: { name: 'judges', changed: ['api_key'] }
    },
    { action: 'webhook.secret_rotated', target: webhook, details: { name: 'alerts' } },
    {
      ...{ action: 'webhook.changed', target: webhook },
      details: { name: 'alerts', changed: ['enabled'] }
    },
    { action: 'rule.deleted', target: rule, details: { name: 'every one' } },
    { action: 'evaluator.deleted', target: evaluator, details: { name: 'shorter' } },
    { action: 'webhook.deleted', target: webhook, details: { name: 'alerts' } },
    { action: 'connection.deleted', target: connection, details: { name: 'judges' } }
  ])
  const text = JSON.stringify(log)
  expect(text).not.toContain(secret)
  expect(text).not.toContain(rotated.body['secret'])
})

test('records no entry for a rejected change', async () => {
  const { id, admin } = await anAdmin()
  await admin.send('PATCH', `${keys}/0123456789ab`, { name: 'x' })
  await admin.send('DELETE', `/v1/auth/organization/members/${randomUUID()}`)
  await admin.send('POST', '/v1/auth/organization/invites', { email: 'a@b.org', role: 'owner' })
  expect(await auditOf(scene, id)).toEqual([])
})
