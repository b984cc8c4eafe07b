/** Tests API key creation, rotation and revocation with two gateways. */
import { beforeAll, expect, test } from '@jest/globals'
import { createApiClient } from '../../stack/tour/api-client.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { createInstallation } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'

let here: Application
let elsewhere: Application
let token: string

beforeAll(async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant()
  ;[here, elsewhere] = await Promise.all([sluice.start('gateway'), sluice.start('gateway')])
  const { body } = await createApiClient(here.url).login(tenant.email, tenant.password)
  token = String(body['access_token'])
})

interface Key {
  readonly key_id: string
  readonly key: string
}

async function manage(method: string, path: string, body?: object): Promise<Key> {
  const answer = await fetch(`${here.url}/v1/auth/api-keys${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body)
  })
  if (!answer.ok) throw new Error(`answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Key
}

async function statusAt(gateway: Application, { key }: Key): Promise<number> {
  return (await createApiClient(gateway.url).ingest(key, aDecisionBody())).status
}

async function refused(gateway: Application, key: Key): Promise<void> {
  const isRefused = async (): Promise<boolean> => (await statusAt(gateway, key)) === 401
  await waitUntil('the other gateway rejects the key', isRefused, 5000)
}

test('accepts a new key on every gateway immediately, and rejects a revoked one soon', async () => {
  const key = await manage('POST', '', { name: 'agents' })
  expect([await statusAt(here, key), await statusAt(elsewhere, key)]).toEqual([202, 202])
  await manage('POST', `/${key.key_id}/revoke`)
  // This gateway forgets the key before it responds to the revocation. The other one is notified.
  expect(await statusAt(here, key)).toBe(401)
  await refused(elsewhere, key)
})

test('rotation keeps the old key valid for a grace period', async () => {
  const old = await manage('POST', '', { name: 'agents' })
  const successor = await manage('POST', `/${old.key_id}/rotate`, { grace_seconds: 3600 })
  expect([await statusAt(here, old), await statusAt(here, successor)]).toEqual([202, 202])
  const last = await manage('POST', `/${successor.key_id}/rotate`, { grace_seconds: 0 })
  expect([await statusAt(here, successor), await statusAt(here, last)]).toEqual([401, 202])
  await refused(elsewhere, successor)
})

test('applies updated scopes of a key', async () => {
  const key = await manage('POST', '', { name: 'readers', scopes: ['evaluation:read'] })
  expect(await statusAt(here, key)).toBe(403)
  await manage('PATCH', `/${key.key_id}`, { scopes: ['ingest'] })
  expect(await statusAt(here, key)).toBe(202)
})
