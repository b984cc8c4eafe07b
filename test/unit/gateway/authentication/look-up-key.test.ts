/** One reading for all who wait for a key. */
import { expect, test } from '@jest/globals'
import { createLookUpKey, unavailable } from '../../../../gateway/authentication/look-up-key.ts'
import { Problem } from '../../../../core/problem.ts'
import { aKey, FakeClock, FakeKeyTable } from './fakes.ts'

function scene() {
  const table = new FakeKeyTable()
  const key = aKey()
  table.rows.set(key.key_id, key.row)
  const kept: string[] = []
  const lookUp = createLookUpKey({
    ...{ postgres: table, clock: new FakeClock() },
    keep: (keyId) => void kept.push(keyId)
  })
  return { table, key, kept, lookUp }
}

test('who asks for the same key waits for the same reading, known or not', async () => {
  const { table, key, kept, lookUp } = scene()
  await Promise.all([lookUp.first(key.key_id), lookUp.again(key.key_id), lookUp.first(key.key_id)])
  expect([table.queries, kept]).toEqual([1, [key.key_id]])
  await lookUp.again(key.key_id)
  expect(table.queries).toBe(2)
})

test('what was outdated while it was read is answered and not kept', async () => {
  const { key, kept, lookUp } = scene()
  const reading = lookUp.again(key.key_id)
  lookUp.outdate(key.key_id)
  expect((await reading).row).not.toBeNull()
  expect(kept).toEqual([])
})

test('a refusal stays what it is, anything else means that Postgres is away', () => {
  const refusal = new Problem('overloaded', { detail: 'No.' })
  expect(unavailable(refusal)).toBe(refusal)
  expect(unavailable(new Error('away')).code).toBe('authentication_unavailable')
})
