/** Tests that one query reads several API keys from the database, and that times are converted. */
import { expect, test } from '@jest/globals'
import { selectApiKeys } from '../../../auth/select-api-keys.ts'
import { aKey, FakeKeyTable, organizationId } from './fakes.ts'

test('converts times to milliseconds and the rest to the principal', async () => {
  const table = new FakeKeyTable()
  const key = aKey({ expires_at: new Date(2000), revoked_at: new Date(1000), rate_limit_points: 3 })
  table.rows.set(key.key_id, key.row)
  expect((await selectApiKeys(table, [key.key_id])).get(key.key_id)).toEqual({
    secret_digest: key.row.secret_digest,
    expires_at: 2000,
    revoked_at: 1000,
    principal: {
      kind: 'api_key',
      organization_id: organizationId,
      key_id: key.key_id,
      scopes: ['ingest'],
      rate_limit_points: 3,
      key_rate_limit_points: null
    }
  })
})

test('a key without an end has null times', async () => {
  const table = new FakeKeyTable()
  const key = aKey()
  table.rows.set(key.key_id, key.row)
  expect((await selectApiKeys(table, [key.key_id])).get(key.key_id)).toMatchObject({
    expires_at: null,
    revoked_at: null
  })
})

test('reads several keys in one query and omits unknown ids', async () => {
  const table = new FakeKeyTable()
  const keys = [aKey(), aKey()]
  for (const { key_id, row } of keys) table.rows.set(key_id, row)
  const ids = keys.map(({ key_id }) => key_id)
  const rows = await selectApiKeys(table, [...ids, 'abcdefghijkl'])
  expect([...rows.values()].map(({ principal }) => principal.key_id)).toEqual(ids)
  expect(table.queried).toEqual([[...ids, 'abcdefghijkl']])
})
