/** Tests that Postgres decodes encoded arrays to exactly the values that were sent. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  bigintArray,
  byteaArray,
  textArray,
  timestamptzArray,
  uuidArray
} from '../../../platform/postgres/postgres-array.ts'
import { createTestDatabase } from '../../support/database.ts'

const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('\u0000'))
const row = fc.record({
  id: fc.constantFrom(randomUUID(), randomUUID()),
  at: fc.integer({ min: 0, max: 253_402_300_799_999 }),
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  said: fc.option(
    fc.oneof(text, fc.constantFrom('NULL', '"', '\\', '{}', ',', '', 'é'.repeat(99)))
  ),
  tokens: fc.option(fc.maxSafeNat())
})

test('stores exactly the values sent, row by row', async () => {
  const { query } = await createTestDatabase()
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const found = await query(
        `select id, (extract(epoch from at) * 1000)::bigint::text as at, bytes, said,
                tokens::text
           from unnest($1::uuid[], $2::timestamptz[], $3::bytea[], $4::text[], $5::bigint[])
                with ordinality as sent (id, at, bytes, said, tokens, place)
          order by place`,
        [
          uuidArray(rows.map(({ id }) => id)),
          timestamptzArray(rows.map(({ at }) => at)),
          byteaArray(rows.map(({ bytes }) => bytes)),
          textArray(rows.map(({ said }) => said)),
          bigintArray(rows.map(({ tokens }) => tokens))
        ]
      )
      expect(found).toEqual(
        rows.map(({ id, at, bytes, said, tokens }) => ({
          ...{ id, at: String(at), bytes, said },
          tokens: tokens === null ? null : String(tokens)
        }))
      )
    })
  )
})
