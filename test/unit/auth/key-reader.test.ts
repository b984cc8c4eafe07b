/** Tests the API key reader: few queries for many keys, and bounded waits. */
import { afterEach, expect, jest, test } from '@jest/globals'
import { createKeyReader } from '../../../auth/key-reader.ts'
import type { KeyEntry } from '../../../auth/select-api-keys.ts'
import { problemOf } from '../api/fakes.ts'
import { aKey, FakeClock, FakeKeyTable } from './fakes.ts'

const waitingMax = 1000

afterEach(() => void jest.useRealTimers())

function scene() {
  const table = new FakeKeyTable()
  const key = aKey()
  table.rows.set(key.key_id, key.row)
  const kept = new Map<string, KeyEntry>()
  const clock = new FakeClock()
  const keep = (keyId: string, entry: KeyEntry): void => void kept.set(keyId, entry)
  const reader = createKeyReader({ postgres: table, clock, keep, waitingMax })
  return { table, key, kept, clock, reader }
}

/** Blocks queries until `end` or `fail` of the returned object is called. */
function stuck(table: FakeKeyTable) {
  const gate = Promise.withResolvers<void>()
  table.gate = gate.promise
  return {
    end: () => {
      table.gate = null
      gate.resolve()
    },
    fail: (error: Error) => {
      table.gate = null
      gate.reject(error)
    }
  }
}

test('concurrent callers of a key share one read', async () => {
  const { table, key, kept, reader } = scene()
  const [first, second] = await Promise.all([reader.read(key.key_id), reader.read(key.key_id)])
  expect(second).toBe(first)
  expect([table.queries, [...kept.keys()]]).toEqual([1, [key.key_id]])
  await reader.read(key.key_id)
  expect(table.queries).toBe(2)
})

test('puts keys requested during a query into the next ones, 500 at a time', async () => {
  const { table, clock, reader } = scene()
  const query = stuck(table)
  const ids = Array.from({ length: 700 }, (_, index) => `key${index}`)
  const readings = ids.map((keyId) => reader.read(keyId))
  clock.advance(10)
  query.end()
  const entries = await Promise.all(readings)
  expect(table.queried.map(({ length }) => length)).toEqual([1, 500, 199])
  expect(table.queried.flat()).toEqual(ids)
  const times = entries.map(({ readAt }) => clock.now() - readAt)
  expect([times[0], times[1], times[699]]).toEqual([10, 0, 0])
})

test('rejects keys beyond the limit at once, without a query', async () => {
  const { table, reader } = scene()
  const query = stuck(table)
  const running = Array.from({ length: 1 + waitingMax }, (_, index) => reader.read(`key${index}`))
  const problem = await problemOf(reader.read('one too many'))
  expect(problem.code).toBe('authentication_unavailable')
  expect(problem.options.headers).toEqual({ 'retry-after': '1' })
  query.end()
  await Promise.all(running)
  expect(table.queried.flat()).not.toContain('one too many')
})

test('returns an outdated read to its callers, but does not keep it and reads again', async () => {
  const { table, key, kept, reader } = scene()
  const query = stuck(table)
  const early = reader.read(key.key_id)
  reader.outdate(key.key_id)
  const late = reader.read(key.key_id)
  query.end()
  expect((await early).row).not.toBeNull()
  expect(await late).not.toBe(await early)
  expect(kept.get(key.key_id)).toBe(await late)
  expect(table.queries).toBe(2)
})

test('does not make callers wait for a late Postgres, and keeps its late response', async () => {
  jest.useFakeTimers()
  const { table, key, kept, reader } = scene()
  const query = stuck(table)
  const readings = [reader.read(key.key_id), reader.read('waits')]
  const settled = Promise.allSettled(readings)
  jest.advanceTimersByTime(999)
  expect(reader.isUnavailable()).toBe(false)
  jest.advanceTimersByTime(1)
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(reader.isUnavailable()).toBe(true)
  await expect(reader.read('another')).rejects.toThrow('did not answer within 1000 ms')
  expect(table.queries).toBe(1)

  query.end()
  await jest.advanceTimersByTimeAsync(0)
  expect([...kept.keys()]).toEqual([key.key_id])
  expect(reader.isUnavailable()).toBe(false)
  await reader.read('waits')
  expect(table.queries).toBe(2)
})

test('does not keep a late response for an outdated key', async () => {
  jest.useFakeTimers()
  const { table, key, kept, reader } = scene()
  const query = stuck(table)
  const settled = Promise.allSettled([reader.read(key.key_id)])
  await jest.advanceTimersByTimeAsync(1000)
  reader.outdate(key.key_id)
  query.end()
  await jest.advanceTimersByTimeAsync(0)
  await settled
  expect(kept.size).toBe(0)
})

test('rejects all waiting callers after a failure, and then pauses', async () => {
  const { table, key, clock, reader } = scene()
  const query = stuck(table)
  const readings = ['a', 'b', 'c'].map((keyId) => reader.read(keyId))
  const settled = Promise.allSettled(readings)
  const unavailable = new Error('unavailable')
  query.fail(unavailable)
  expect((await settled).every((each) => 'reason' in each && each.reason === unavailable)).toBe(
    true
  )
  clock.advance(249)
  await expect(reader.read(key.key_id)).rejects.toBe(unavailable)
  expect([table.queries, reader.isUnavailable()]).toEqual([1, true])
  clock.advance(1)
  expect((await reader.read(key.key_id)).row).not.toBeNull()
  expect(reader.isUnavailable()).toBe(false)
})

test('reports Postgres as unavailable for two seconds after a failure', async () => {
  const { table, clock, reader } = scene()
  table.failure = new Error('unavailable')
  await expect(reader.read('a')).rejects.toThrow('unavailable')
  clock.advance(1999)
  expect(reader.isUnavailable()).toBe(true)
  clock.advance(1)
  expect(reader.isUnavailable()).toBe(false)
})
