/** Tests onboarding: rejected attempts, test events and code snippets. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { keyPlaceholder } from '../../api/onboarding/snippets.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { onEnd } from '../support/cleanup.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { installSdk } from '../support/sdk/packed-sdk.ts'
import { sdkFolder } from '../support/sdk/python.ts'
import { waitUntil } from '../support/wait-until.ts'

const run = promisify(execFile)
const path = '/v1/auth/onboarding'
const prepareMs = 240_000

type Attempt = { code: string; status: number; detail: string; agent_id: string | null }
type Step = { id: string; done_at: string | null; detail: string | null }
type Onboarding = {
  steps: Step[]
  complete: boolean
  snippets: { curl: string; env: string; typescript: string; python: string }
  recent_attempts: Attempt[] | null
}
type TestEvent = { decision_id: string; answer: { status: number; body: Record<string, unknown> } }

let sluice: Installation
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  // Two workers, because the attempts of all workers must be reported.
  const [started] = await Promise.all([
    sluice.start('gateway', { GATEWAY_WORKERS: '2' }),
    sluice.start('storage')
  ])
  gateway = started
})

async function read(tenant: Tenant, query = ''): Promise<Onboarding> {
  const { status, body } = await clientOf(gateway, tenant).get(`${path}${query}`)
  expect(status).toBe(200)
  return body as Onboarding
}

async function sendTest(tenant: Tenant, body: object) {
  const api = clientOf(gateway, tenant)
  const login = await api.login(tenant.email, tenant.password)
  const answer = await fetch(`${gateway.url}${path}/test-event`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${String(login.body['access_token'])}`,
      'content-type': 'application/json'
    },
    body: JSON.stringify(body)
  })
  return { status: answer.status, body: (await answer.json()) as TestEvent }
}

function isDone({ steps }: Onboarding, id: string): boolean {
  return steps.some((step) => step.id === id && step.done_at !== null)
}

test('shows rejected attempts of all workers within seconds, with the reason', async () => {
  const tenant = await sluice.createTenant()
  const api = clientOf(gateway, tenant)
  const broken = aDecisionBody({ agent_id: 'first-agent' })
  delete broken['output']
  const before = await read(tenant)
  expect([isDone(before, 'key_created'), isDone(before, 'first_request_seen')]).toEqual([
    true,
    false
  ])
  for (let time = 0; time < 6; time++) {
    expect((await api.ingest(tenant.api_key, broken)).status).toBe(422)
  }
  const after = await read(tenant, '?wait=20&done=1')
  expect(isDone(after, 'first_request_seen')).toBe(true)
  await waitUntil('all attempts to be listed', async () => {
    return (await read(tenant)).recent_attempts?.length === 6
  })
  const { recent_attempts, steps } = await read(tenant)
  expect(recent_attempts).toContainEqual(
    expect.objectContaining({
      ...{ status: 422, code: 'invalid_decision', detail: '/output is required.' },
      ...{ pointer: '/output', agent_id: 'first-agent' }
    })
  )
  expect(steps.find(({ id }) => id === 'first_request_seen')?.detail).toContain('422')
  expect(isDone(after, 'first_decision_stored')).toBe(false)
})

test('reports the use of a revoked key to its organization', async () => {
  const tenant = await sluice.createTenant()
  const api = clientOf(gateway, tenant)
  const keyId = tenant.api_key.split('_')[2] ?? ''
  await sluice.sluice('keys', 'revoke', keyId)
  await waitUntil('the key to be rejected', async () => {
    return (await api.ingest(tenant.api_key, aDecisionBody())).status === 401
  })
  await waitUntil('the attempt to be listed', async () => {
    const { recent_attempts } = await read(tenant)
    return recent_attempts?.some(({ detail }) => detail === 'The API key was revoked.') ?? false
  })
})

describe('a test event', () => {
  test('passes through the whole ingest path with a temporary key', async () => {
    const tenant = await sluice.createTenant()
    const { status, body } = await sendTest(tenant, {})
    expect(status).toBe(200)
    const { decision_id } = body
    expect(body.answer).toEqual({ status: 202, body: { decision_id, queued: true } })
    const onboarding = await read(tenant, '?wait=20&done=1')
    expect(isDone(onboarding, 'first_request_seen')).toBe(true)
    await waitUntil('the decision to be stored', async () =>
      isDone(await read(tenant, '?wait=5&done=2'), 'first_decision_stored')
    )
    const { body: decision } = await clientOf(gateway, tenant).get(`/v1/decisions/${decision_id}`)
    expect(decision).toMatchObject({ agent_id: 'sluice-onboarding', output: 'It does.' })
    const keys = await sluice.database.query<{ revoked_at: Date | null; name: string }>(
      `select name, revoked_at from api_keys
        where organization_id = $1 and name = 'test event'`,
      [tenant.organization_id]
    )
    expect(keys).toEqual([{ name: 'test event', revoked_at: expect.any(Date) }])
    const audit = await sluice.database.query<{ action: string }>(
      `select action from audit_log where organization_id = $1 and target_kind = 'api_key'
        order by created_at`,
      [tenant.organization_id]
    )
    expect(audit.map(({ action }) => action)).toEqual(['api_key.created', 'api_key.revoked'])
  })

  test('uses the given key and returns the response of the gateway', async () => {
    const tenant = await sluice.createTenant()
    const own = await sendTest(tenant, { api_key: tenant.api_key })
    expect(own.body.answer.status).toBe(202)
    const malformed = await sendTest(tenant, { api_key: `${tenant.api_key.slice(0, -1)}~` })
    expect(malformed.body.answer).toMatchObject({
      status: 401,
      body: { code: 'api_key_malformed' }
    })
    const reading = await sluice.createTenant({ scopes: ['evaluation:read'] })
    const lacking = await sendTest(reading, { api_key: reading.api_key })
    expect(lacking.body.answer).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
    const foreign = await sendTest(tenant, { api_key: reading.api_key })
    expect(foreign).toMatchObject({ status: 422, body: { code: 'invalid_body' } })
  })
})

test(
  'the snippets work unchanged, and their decisions are accepted',
  async () => {
    const tenant = await sluice.createTenant()
    const { snippets } = await read(tenant)
    const folder = await mkdtemp(join(tmpdir(), 'sluice-snippets-'))
    onEnd(() => rm(folder, { recursive: true }))
    await installSdk(folder)
    const withKey = (text: string): string => text.replace(keyPlaceholder, tenant.api_key)
    await writeFile(join(folder, 'send.ts'), snippets.typescript)
    await writeFile(join(folder, 'send.py'), snippets.python)
    const { stdout: sent } = await run('sh', ['-c', withKey(snippets.curl)])
    expect(sent).toContain('202 Accepted')
    const env = { ...process.env, PYTHONPATH: join(sdkFolder, 'src') }
    const node = `"${process.execPath}" --no-warnings send.ts`
    for (const command of [node, 'python3 send.py']) {
      const script = `${withKey(snippets.env)}${command}`
      const { stdout, stderr } = await run('sh', ['-c', script], { cwd: folder, env })
      expect(stderr).toBe('')
      expect(stdout).toMatch(/sent[:=] ?1, failed[:=] ?0, dropped[:=] ?0, pending[:=] ?0/)
    }
  },
  prepareMs
)
