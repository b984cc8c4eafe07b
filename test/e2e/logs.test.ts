/** Tests that the gateway logs no requests, secrets or payloads. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Tenant } from '../support/installation.ts'

const rounds = 20
/** Text that every request of `callsOf` contains. The test searches the log for it. */
const marker = `payload${randomUUID().replaceAll('-', '')}`

type Call = { path: string; key?: string; body?: string; headers?: Record<string, string> }

async function post(gateway: Application, { path, key, body, headers = {} }: Call) {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    body: body ?? '',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers
    }
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Returns a request for each kind of response, with the expected status. */
function callsOf(tenant: Tenant): [Call, number][] {
  const key = tenant.api_key
  const path = '/v1/ingest'
  const marked = { input: marker, output: marker, metadata: { [marker]: marker } }
  const body = JSON.stringify(aDecisionBody(marked))
  const wrongKey = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  const login = JSON.stringify({ email: tenant.email, password: marker })
  return [
    [{ path, key, body }, 202],
    [{ path, key, body: `{"input":"${marker}` }, 400],
    [{ path, key, body: JSON.stringify({ input: marker, output: 1 }) }, 422],
    [{ path, key, body, headers: { 'content-type': marker } }, 415],
    [{ path, key: wrongKey, body }, 401],
    [{ path, body }, 401],
    [{ path: `/${marker}?${marker}`, key, body }, 404],
    [{ path: '/v1/auth/login', body: login }, 401]
  ]
}

/** Returns the log without the lines about Redis, which can be slow for 75 ms on a busy machine. */
function withoutRedis(log: string): string {
  return log.replaceAll(/^.*"msg":"Redis (?:un)?available.*\n/gm, '')
}

test('logs neither requests nor their content at level info', async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const gateway = await sluice.start('gateway', { LOG_LEVEL: 'info' })
  const client = clientOf(gateway, tenant)
  // The client logs in here and reuses its session, because the wrong passwords below throttle
  // further logins.
  const read = async () => (await client.get('/v1/decisions')).status
  expect(await read()).toBe(200)
  const before = withoutRedis(gateway.log())

  for (let round = 0; round < rounds; round += 1) {
    for (const [call, status] of callsOf(tenant)) {
      const isThrottled = call.path.endsWith('login') && round > 0
      const answered = await post(gateway, call)
      if (!isThrottled) expect([call.path, answered]).toEqual([call.path, status])
    }
  }
  await client.accept(aDecisionBody({ input: marker }))
  expect(await read()).toBe(200)
  expect(withoutRedis(gateway.log())).toBe(before)

  expect(await gateway.stop()).toBe(0)
  const log = gateway.log()
  expect(log).toContain('"msg":"stopped"')
  const [, , keyId = '', secret = ''] = tenant.api_key.split('_')
  const { API_KEY_PEPPER: pepper = '', SESSION_SIGNING_KEY: signingKey = '' } = sluice.environment
  const secrets = [marker, secret, tenant.password, pepper, signingKey.split('\n')[1] ?? '']
  expect(secrets.filter((text) => text === '' || log.includes(text))).toEqual([])
  expect([keyId.length, log.includes(tenant.email)]).toEqual([12, false])
})
