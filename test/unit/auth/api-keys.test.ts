/** The cache of keys: how fresh it is, how long it serves alone, and what it asks Postgres. */
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

/** Lets a look-up in the background come to its end. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function revoke(): void {
  table.rows.set(key.key_id, { ...key.row, revoked_at: new Date(clock.now()) })
}

function results(): (string | undefined)[] {
  return metrics.labelsOf('sluice_api_key_lookups_total').map(({ result }) => result)
}

describe('while Postgres answers', () => {
  test('a key is looked up once and served for three seconds', async () => {
    const row = await find()
    expect(row?.principal.key_id).toBe(key.key_id)
    clock.advance(2999)
    expect(await find()).toBe(row)
    expect(table.queries).toBe(1)
    expect(results()).toEqual(['miss', 'hit'])
  })

  test('after that it is served at once, and looked up behind it', async () => {
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

  test('one that nobody used for long is served only after a look-up', async () => {
    await find()
    clock.advance(4500)
    revoke()
    expect((await find())?.revoked_at).toBe(clock.now())
  })

  test('many that ask for one key at once wait for one query', async () => {
    const rows = await Promise.all(Array.from({ length: 100 }, find))
    expect(new Set(rows).size).toBe(1)
    expect(table.queries).toBe(1)
    clock.advance(10_000)
    await Promise.all(Array.from({ length: 100 }, find))
    expect(table.queries).toBe(2)
  })

  test('each key is looked up by itself', async () => {
    const other = aKey()
    table.rows.set(other.key_id, other.row)
    const [first, second] = await Promise.all([find(), apiKeys.find(other.key_id)])
    expect([first?.principal.key_id, second?.principal.key_id]).toEqual([key.key_id, other.key_id])
  })

  test('an unknown key is remembered for a second only: a new key is soon found', async () => {
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

  test('a revoked key is refused within five seconds, however often it is used', async () => {
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

  test('and within five seconds of the end of an outage, too', async () => {
    const steps = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 4000 }), isAway: fc.boolean() }),
      { minLength: 2, maxLength: 40 }
    )
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(39), async (all, revokedAfter) => {
        begin()
        let revokedAt = Infinity
        let backAt = 0
        for (const [index, { wait, isAway }] of all.entries()) {
          clock.advance(wait)
          const row = await Promise.resolve(find()).catch(() => undefined)
          await settle()
          const canBeKnown = table.failure === null && clock.now() - backAt >= 5000
          if (row && canBeKnown && clock.now() - revokedAt >= 5000) {
            expect(row.revoked_at).toBe(revokedAt)
          }
          if (table.failure !== null && !isAway) backAt = clock.now()
          table.failure = isAway ? new Error('away') : null
          if (index !== revokedAfter) continue
          revoke()
          revokedAt = clock.now()
        }
      }),
      { numRuns: 100 }
    )
  })
})

describe('what is told to have changed', () => {
  test('is looked up anew at once', async () => {
    await find()
    revoke()
    apiKeys.forget(key.key_id)
    expect((await find())?.revoked_at).toBe(clock.now())
  })

  test('is not kept from a look-up that began before', async () => {
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

  test('is looked up before keys that nobody knows', async () => {
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

  test('does not serve on when Postgres is away', async () => {
    await find()
    table.failure = new Error('away')
    apiKeys.forget(key.key_id)
    expect((await problemOf(find())).code).toBe('authentication_unavailable')
  })

  test('does not serve on from a refresh that fails after it', async () => {
    await find()
    clock.advance(4500)
    const gate = Promise.withResolvers<void>()
    table.gate = gate.promise.then(() => Promise.reject(new Error('away')))
    const late = find()
    apiKeys.forget(key.key_id)
    gate.resolve()
    expect((await problemOf(late)).code).toBe('authentication_unavailable')
  })
})

describe('somebody tries many keys that do not exist', () => {
  const tryMany = async (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, async (_, index) => apiKeys.find(`guess${index}`))
    )

  test('and holds up nobody who has a key, nor gives Postgres many queries', async () => {
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

  test('and pushes no known key out of the cache', async () => {
    await find()
    for (let index = 0; index < 10_500; index++) await apiKeys.find(`guess${index}`)
    const { queries } = table
    await find()
    expect(table.queries).toBe(queries)
  })
})

test('a known key is answered without a promise', async () => {
  await find()
  expect(apiKeys.find(key.key_id)).not.toBeInstanceOf(Promise)
})

describe('while Postgres is away', () => {
  const away = new Error('away')

  test('an unknown key is 503 and not 401, since nobody knows', async () => {
    table.failure = away
    const problem = await problemOf(find())
    expect(problem.code).toBe('authentication_unavailable')
    expect(problem.options.headers).toEqual({ 'retry-after': '2' })
    expect(problem.cause).toBe(away)
    expect(results()).toEqual(['miss', 'failed'])
  })

  test('an unknown key that was tried before stays 503, at every try', async () => {
    table.rows.clear()
    expect(await find()).toBeNull()
    table.failure = away
    for (const gap of [1500, 100, 100]) {
      clock.advance(gap)
      expect((await problemOf(find())).code).toBe('authentication_unavailable')
    }
  })

  test('after ten minutes no call is served, not only the first', async () => {
    await find()
    table.failure = away
    for (const gap of [601_000, 100, 3_600_000, 100]) {
      clock.advance(gap)
      expect((await problemOf(find())).code).toBe('authentication_unavailable')
    }
  })

  test('a known key serves on for ten minutes', async () => {
    const row = await find()
    table.failure = away
    for (let second = 1; second <= 600; second++) {
      clock.advance(1000)
      expect(await find()).toBe(row)
    }
    clock.advance(1000)
    expect((await problemOf(find())).code).toBe('authentication_unavailable')
    expect(results()).toContain('stale')
  })

  test('it is asked at most once a second for a known key', async () => {
    await find()
    table.failure = away
    clock.advance(5000)
    for (let call = 0; call < 50; call++) {
      clock.advance(100)
      await find()
      await settle()
    }
    expect(table.queries).toBeLessThanOrEqual(1 + 6)
  })

  test('an outage that a look-up in the background meets disturbs nobody', async () => {
    const row = await find()
    table.failure = away
    clock.advance(3500)
    expect(await find()).toBe(row)
    await settle()
    expect(results()).toEqual(['miss', 'stale'])
  })

  test('what changed meanwhile is seen once it is back', async () => {
    await find()
    table.failure = away
    clock.advance(60_000)
    await find()
    revoke()
    table.failure = null
    clock.advance(1000)
    await find()
    await settle()
    expect((await find())?.revoked_at).not.toBeNull()
  })

  test('only the first that finds it stuck waits, the others are served at once', async () => {
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

  test('a failure is not held against an unknown key for long', async () => {
    table.failure = away
    await problemOf(find())
    table.failure = null
    clock.advance(250)
    expect((await find())?.principal.key_id).toBe(key.key_id)
  })
})
