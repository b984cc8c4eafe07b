/** What is written of the use of keys, and when. */
import { expect, test } from '@jest/globals'
import { createKeyUsage } from '../../../auth/key-usage.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { noon } from '../../support/builders.ts'
import { FakeClock } from './fakes.ts'

function scene() {
  const written: unknown[] = []
  const store = { isAway: false }
  const query = async <R extends Row>(_: string, values: readonly unknown[] = []): Promise<R[]> => {
    if (store.isAway) throw new Error('away')
    written.push(values)
    return []
  }
  const clock = new FakeClock()
  return { written, store, clock, usage: createKeyUsage({ postgres: { query }, clock }) }
}

test('each key is written once, with its last use, and only when there is one', async () => {
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

test('without Postgres it is kept, and what is newer wins', async () => {
  const { written, store, clock, usage } = scene()
  usage.note('a')
  store.isAway = true
  await usage.flush()
  clock.advance(7)
  usage.note('a')
  store.isAway = false
  await usage.flush()
  expect(written).toEqual([[['a'], [noon + 7]]])
})

test('many are written a thousand at a time, each once', async () => {
  const { written, store, usage } = scene()
  for (let index = 0; index < 2500; index++) usage.note(`key${index}`)
  await usage.flush()
  expect(written.map((values) => (values as unknown[][])[0]?.length)).toEqual([1000, 1000, 500])
  store.isAway = true
  await usage.flush()
  store.isAway = false
  await usage.flush()
  expect(written).toHaveLength(3)
})
