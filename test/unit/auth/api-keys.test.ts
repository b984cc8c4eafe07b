/** Tests the API key cache: freshness, service during outages, and the queries it makes. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { createApiKeys } from '../../../auth/api-keys.ts'
import type { ApiKeys } from '../../../auth/api-keys.ts'
import { RecordingMetrics } from '../consumers/recording-metrics.ts'
import { problemOf } from '../api/fakes.ts'
import { aKey, FakeClock, FakeKeyTable } from './fakes.ts'

const key = aKey()
let table: FakeKeyTable
let clock: FakeClock
let metrics: RecordingMetrics
let apiKeys: ApiKeys

function begin(): void {
  table = new FakeKeyTable()
  table.rows.set(key.key_id, { ...key.row })
  clock = new FakeClock()
  metrics = new RecordingMetrics()
  apiKeys = createApiKeys({ postgres: table, metrics, clock })
}

beforeEach(begin)
afterEach(() => void jest.useRealTimers())

const find = async () => apiKeys.find(key.key_id)

/** Waits for a background lookup to finish. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function revoke(): void {
  table.rows.set(key.key_id, { ...key.row, revoked_at: new Date(clock.now()) })
}

function results(): (string | undefined)[] {
  return metrics.labelsOf('sluice_api_key_lookups_total').map(({ result }) => result)
}

describe('while Postgres responds', () => {
  test('looks up a key once and serves it for three seconds', async () => {
    const row = await find()
    expect(row?.principal.key_id).toBe(key.key_id)
    clock.advance(2999)
    expect(await find()).toBe(row)
    expect(table.queries).toBe(1)
    expect(results()).toEqual(['miss', 'hit'])
  })

  test('then serves the old entry and looks the key up in the background', async () => {
    const row = await find()
    const gate = Promise.withResolvers<void>()
    table.gate = gate.promise
    clock.advance(3000)
    expect(await find()).toBe(row)
    expect(table.queries).toBe(2)
    gate.resolve()
    await settle()
    expect(await find()).not.toBe(row)
    expect(table.queries).toBe(2)
  })

  test('serves an entry that is long out of date only after a lookup', async () => {
    await find()
    clock.advance(4500)
    revoke()
    expect((await find())?.revoked_at).toBe(clock.now())
  })

  test('shares one query between concurrent lookups of a key', async () => {
    const rows = await Promise.all(Array.from({ length: 100 }, find))
    expect(new Set(rows).size).toBe(1)
    expect(table.queries).toBe(1)
    clock.advance(10_000)
    await Promise.all(Array.from({ length: 100 }, find))
    expect(table.queries).toBe(2)
  })

  test('looks up each key separately', async () => {
    const other = aKey()
    table.rows.set(other.key_id, other.row)
    const [first, second] = await Promise.all([find(), apiKeys.find(other.key_id)])
    expect([first?.principal.key_id, second?.principal.key_id]).toEqual([key.key_id, other.key_id])
  })

  test('remembers an unknown key for only a second, so that a new key works soon', async () => {
    table.rows.clear()
    expect(await find()).toBeNull()
    table.rows.set(key.key_id, key.row)
    clock.advance(999)
    expect(await find()).toBeNull()
    clock.advance(1)
    expect(await find()).not.toBeNull()
    expect(table.queries).toBe(2)
    expect(results()).toEqual(['miss', 'unknown', 'miss'])
  })

  test('rejects a revoked key within five seconds, however often it is used', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 6000 }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(gaps, fc.nat(39), async (waits, revokedAfter) => {
        begin()
        let revokedAt = Infinity
        for (const [index, wait] of waits.entries()) {
          clock.advance(wait)
          const row = await find()
          await settle()
          if (clock.now() - revokedAt >= 5000) expect(row?.revoked_at).toBe(revokedAt)
          if (index !== revokedAfter) continue
          revoke()
          revokedAt = clock.now()
        }
      }),
      { numRuns: 100 }
    )
  })

  test('rejects a revoked key within five seconds after an outage', async () => {
    const steps = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 4000 }), isUnavailable: fc.boolean() }),
      { minLength: 2, maxLength: 40 }
    )
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(39), async (all, revokedAfter) => {
        begin()
        let revokedAt = Infinity
        let backAt = 0
        for (const [index, { wait, isUnavailable }] of all.entries()) {
          clock.advance(wait)
          const row = await Promise.resolve(find()).catch(() => undefined)
          await settle()
          const canBeKnown = table.failure === null && clock.now() - backAt >= 5000
          if (row && canBeKnown && clock.now() - revokedAt >= 5000) {
            expect(row.revoked_at).toBe(revokedAt)
          }
          if (table.failure !== null && !isUnavailable) backAt = clock.now()
          table.failure = isUnavailable ? new Error('unavailable') : null
          if (index !== revokedAfter) continue
          revoke()
          revokedAt = clock.now()
        }
      }),
      { numRuns: 100 }
    )
  })
})

describe('a key that was reported as changed', () => {
  test('is looked up again at once', async () => {
    await find()
    revoke()
    apiKeys.forget(key.key_id)
    expect((await find())?.revoked_at).toBe(clock.now())
  })

  test('is not cached from a lookup that began earlier', async () => {
    const gate = Promise.withResolvers<void>()
    table.gate = gate.promise
    const early = find()
    revoke()
    apiKeys.forget(key.key_id)
    table.gate = null
    const late = find()
    gate.resolve()
    expect((await early)?.revoked_at).toBeNull()
    expect((await late)?.revoked_at).toBe(clock.now())
    expect((await find())?.revoked_at).toBe(clock.now())
  })

  test('is looked up before unknown keys', async () => {
    await find()
    const gate = Promise.withResolvers<void>()
    table.gate = gate.promise
    const unknown = Promise.resolve(apiKeys.find('guess'))
    table.gate = null
    apiKeys.forget(key.key_id)
    expect((await find())?.principal.key_id).toBe(key.key_id)
    gate.resolve()
    expect(await unknown).toBeNull()
  })

  test('is not served from the cache while Postgres is unavailable', async () => {
    await find()
    table.failure = new Error('unavailable')
    apiKeys.forget(key.key_id)
    expect((await problemOf(find())).code).toBe('authentication_unavailable')
  })

  test('is not served from the cache when a running refresh fails', async () => {
    await find()
    clock.advance(4500)
    const gate = Promise.withResolvers<void>()
    table.gate = gate.promise.then(() => Promise.reject(new Error('unavailable')))
    const late = find()
    apiKeys.forget(key.key_id)
    gate.resolve()
    expect((await problemOf(late)).code).toBe('authentication_unavailable')
  })
})

describe('a caller guesses keys that do not exist', () => {
  const tryMany = async (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, async (_, index) => apiKeys.find(`guess${index}`))
    )

  test('known keys are not delayed, and Postgres gets few queries', async () => {
    await find()
    clock.advance(4500)
    const gate = Promise.withResolvers<void>()
    table.gate = gate.promise
    const tried = tryMany(3000)
    table.gate = null
    expect((await find())?.principal.key_id).toBe(key.key_id)
    expect(table.queries).toBe(1 + 1 + 1)
    gate.resolve()
    const answered = (await tried).filter(({ status }) => status === 'fulfilled')
    expect(answered).toHaveLength(1 + 2000)
    expect(table.queries).toBe(1 + 1 + 1 + 4)
    expect(results().filter((result) => result === 'refused')).toHaveLength(999)
  })

  test('known keys are not evicted from the cache', async () => {
    await find()
    for (let index = 0; index < 10_500; index++) await apiKeys.find(`guess${index}`)
    const { queries } = table
    await find()
    expect(table.queries).toBe(queries)
  })
})

test('returns a known key without a promise', async () => {
  await find()
  expect(apiKeys.find(key.key_id)).not.toBeInstanceOf(Promise)
})

describe('while Postgres is unavailable', () => {
  const unavailable = new Error('unavailable')

  test('returns 503 instead of 401 for an unknown key', async () => {
    table.failure = unavailable
    const problem = await problemOf(find())
    expect(problem.code).toBe('authentication_unavailable')
    expect(problem.options.headers).toEqual({ 'retry-after': '2' })
    expect(problem.cause).toBe(unavailable)
    expect(results()).toEqual(['miss', 'failed'])
  })

  test('returns 503 for an unknown key that was tried before the outage', async () => {
    table.rows.clear()
    expect(await find()).toBeNull()
    table.failure = unavailable
    for (const gap of [1500, 100, 100]) {
      clock.advance(gap)
      expect((await problemOf(find())).code).toBe('authentication_unavailable')
    }
  })

  test('after ten minutes every call fails, not only the first', async () => {
    await find()
    table.failure = unavailable
    for (const gap of [601_000, 100, 3_600_000, 100]) {
      clock.advance(gap)
      expect((await problemOf(find())).code).toBe('authentication_unavailable')
    }
  })

  test('serves a known key for ten minutes', async () => {
    const row = await find()
    table.failure = unavailable
    for (let second = 1; second <= 600; second++) {
      clock.advance(1000)
      expect(await find()).toBe(row)
    }
    clock.advance(1000)
    expect((await problemOf(find())).code).toBe('authentication_unavailable')
    expect(results()).toContain('stale')
  })

  test('queries Postgres at most once a second for a known key', async () => {
    await find()
    table.failure = unavailable
    clock.advance(5000)
    for (let call = 0; call < 50; call++) {
      clock.advance(100)
      await find()
      await settle()
    }
    expect(table.queries).toBeLessThanOrEqual(1 + 6)
  })

  test('a failed background lookup does not affect callers', async () => {
    const row = await find()
    table.failure = unavailable
    clock.advance(3500)
    expect(await find()).toBe(row)
    await settle()
    expect(results()).toEqual(['miss', 'stale'])
  })

  test('a change during the outage takes effect after it', async () => {
    await find()
    table.failure = unavailable
    clock.advance(60_000)
    await find()
    revoke()
    table.failure = null
    clock.advance(1000)
    await find()
    await settle()
    expect((await find())?.revoked_at).not.toBeNull()
  })

  test('only the first caller waits for a stuck Postgres; others are served at once', async () => {
    jest.useFakeTimers()
    const row = await find()
    table.gate = new Promise(() => {})
    clock.advance(4500)
    const waits = find()
    await jest.advanceTimersByTimeAsync(1000)
    expect(await waits).toBe(row)
    for (let second = 0; second < 20; second++) {
      clock.advance(1000)
      expect(apiKeys.find(key.key_id)).toBe(row)
      await jest.advanceTimersByTimeAsync(1000)
    }
    expect(table.queries).toBe(2)
  })

  test('looks up an unknown key again soon after a failure', async () => {
    table.failure = unavailable
    await problemOf(find())
    table.failure = null
    clock.advance(250)
    expect((await find())?.principal.key_id).toBe(key.key_id)
  })
})
