/** Tests that the last use of each API key is recorded. */
import { expect, test } from '@jest/globals'
import { createKeyUsage } from '../../../auth/key-usage.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { noon } from '../../support/builders.ts'
import { FakeClock } from './fakes.ts'

function scene() {
  const written: unknown[] = []
  const store = { isUnavailable: false }
  const query = async <R extends Row>(_: string, values: readonly unknown[] = []): Promise<R[]> => {
    if (store.isUnavailable) throw new Error('unavailable')
    written.push(values)
    return []
  }
  const clock = new FakeClock()
  return { written, store, clock, usage: createKeyUsage({ postgres: { query }, clock }) }
}

test('writes each key once with its last use, and nothing without uses', async () => {
  const { written, clock, usage } = scene()
  await usage.flush()
  usage.note('a')
  usage.note('b')
  clock.advance(5)
  usage.note('a')
  await usage.flush()
  await usage.flush()
  expect(written).toEqual([
    [
      ['a', 'b'],
      [noon + 5, noon]
    ]
  ])
})

test('keeps uses while Postgres is unavailable, and newer ones win', async () => {
  const { written, store, clock, usage } = scene()
  usage.note('a')
  store.isUnavailable = true
  await usage.flush()
  clock.advance(7)
  usage.note('a')
  store.isUnavailable = false
  await usage.flush()
  expect(written).toEqual([[['a'], [noon + 7]]])
})

test('writes many keys a thousand at a time, each once', async () => {
  const { written, store, usage } = scene()
  for (let index = 0; index < 2500; index++) usage.note(`key${index}`)
  await usage.flush()
  expect(written.map((values) => (values as unknown[][])[0]?.length)).toEqual([1000, 1000, 500])
  store.isUnavailable = true
  await usage.flush()
  store.isUnavailable = false
  await usage.flush()
  expect(written).toHaveLength(3)
})
