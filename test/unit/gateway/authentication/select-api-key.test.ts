/** A row of the table of keys as the gateway sees it. */
import { expect, test } from '@jest/globals'
import { selectApiKey } from '../../../../gateway/authentication/select-api-key.ts'
import { aKey, FakeKeyTable, organizationId } from './fakes.ts'

test('times become milliseconds, and the rest the principal', async () => {
  const table = new FakeKeyTable()
  const key = aKey({ expires_at: new Date(2000), revoked_at: new Date(1000), rate_limit_points: 3 })
  table.rows.set(key.key_id, key.row)
  expect(await selectApiKey(table, key.key_id)).toEqual({
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

test('a key that never ends has no times', async () => {
  const table = new FakeKeyTable()
  const key = aKey()
  table.rows.set(key.key_id, key.row)
  expect(await selectApiKey(table, key.key_id)).toMatchObject({
    expires_at: null,
    revoked_at: null
  })
})

test('there is no row for an id that nobody has', async () => {
  expect(await selectApiKey(new FakeKeyTable(), 'abcdefghijkl')).toBeNull()
})
