/** Tests the path of a decision with a database owner that is not a superuser, and with a gateway
 * login.
 */
import { describe, expect, test } from '@jest/globals'
import { createKeyUsage } from '../../../auth/key-usage.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { clientOf, createInstallation } from '../../support/installation.ts'
import type { Client, Installation, Tenant } from '../../support/installation.ts'
import { createOwnedDatabase } from '../../support/roles.ts'
import type { OwnedDatabase } from '../../support/roles.ts'

async function createOwned(): Promise<Installation & { readonly database: OwnedDatabase }> {
  const database = await createOwnedDatabase()
  const sluice = await createInstallation({ database })
  expect(await sluice.sluice('migrate')).toContain('applied 0001-roles')
  await database.follow('A login for gateways')
  return { ...sluice, database }
}

/**
 * Checks that the decision of one tenant is stored and evaluated, and that another tenant cannot
 * read it.
 */
async function expectWholeLine(one: Client, other: Client): Promise<void> {
  const id = await one.accept({ input: { n: 1 }, output: 'yes', agent_id: 'a', session_id: 's' })
  const evaluated = await one.get(`/v1/decisions/${id}?wait=30&until=evaluated`)
  expect(evaluated).toMatchObject({ status: 200, body: { decision_id: id, output: 'yes' } })
  expect(evaluated.body['evaluation']).toMatchObject({ status: 'evaluated' })
  expect((await one.get(`/v1/evaluation/${id}`)).status).toBe(200)
  for (const filter of ['', '?agent_id=a', '?session_id=s']) {
    const list = await one.get(`/v1/decisions${filter}`)
    expect(list.body['data']).toEqual([expect.objectContaining({ decision_id: id })])
  }
  expect((await other.get(`/v1/decisions/${id}`)).status).toBe(404)
  expect((await other.get(`/v1/evaluation/${id}`)).status).toBe(404)
  expect((await other.get('/v1/decisions')).body['data']).toEqual([])
}

describe.each(['sluice_owner', 'sluice_gateway'] as const)('with a gateway as %s', (role) => {
  test('accepts, stores, evaluates and returns decisions to their organization only', async () => {
    const sluice = await createOwned()
    const DATABASE_URL = sluice.database.urlOf(role)
    const [one, other] = [await sluice.createTenant(), await sluice.createTenant()]
    const [gateway] = await Promise.all([
      sluice.start('gateway', { DATABASE_URL }),
      sluice.start('storage'),
      sluice.start('evaluation')
    ])
    await expectWholeLine(clientOf(gateway, one), clientOf(gateway, other))
    await expectUseNoted(DATABASE_URL, one, sluice.database)
  })
})

/**
 * Checks that the use of a key is recorded. A gateway records it once a minute; this check runs the
 * same code immediately.
 */
async function expectUseNoted(url: string, { api_key }: Tenant, database: OwnedDatabase) {
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const usage = createKeyUsage({ postgres, clock: Date })
  const keyId = api_key.split('_')[2] ?? ''
  usage.note(keyId)
  await usage.flush()
  const used = 'select 1 as used from api_keys where key_id = $1 and last_used_at is not null'
  expect(await database.query(used, [keyId])).toEqual([{ used: 1 }])
}
