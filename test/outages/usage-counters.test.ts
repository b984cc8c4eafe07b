/** Tests usage counters in a real Redis: sums across several writers, limits, expiry and outages.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { KeyPrincipal } from '../../core/principal.ts'
import { createFlushUsage } from '../../usage/flush-usage.ts'
import { agentsName, hourMs, keysName } from '../../usage/usage-keys.ts'
import type { RejectedAttempt } from '../../usage/usage.ts'
import { createUsageCounters } from '../../usage/usage-counters.ts'
import { createReadUsage } from '../../usage/read-usage.ts'
import { createWriteUsage, fieldsMax } from '../../usage/write-usage.ts'
import { createRedis } from '../../platform/redis/redis.ts'
import type { Redis } from '../../platform/redis/redis.ts'
import { onEnd } from '../support/cleanup.ts'
import { pauseService, resumeService, services } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'
import { RecordingMetrics } from '../unit/consumers/recording-metrics.ts'

const counted = ['invalid_decision', 'rate_limited', 'dropped.queue_full', 'dropped.other']
const keyId = 'abcdefghijkl'

let redis: Redis
let now = Date.now()
let principal: KeyPrincipal

beforeAll(async () => {
  redis = createRedis(services().addresses.redisUrl)
  onEnd(async () => redis.disconnect())
  await waitUntil('Redis is connected', () => redis.status === 'ready')
})

beforeEach(() => {
  const limits = { rate_limit_points: null, key_rate_limit_points: null }
  const whose = { organization_id: randomUUID(), key_id: keyId, scopes: [] }
  principal = { kind: 'api_key', ...whose, ...limits }
})

const clock = { now: () => now }

function createWriter() {
  const metrics = new RecordingMetrics()
  const counters = createUsageCounters({ metrics })
  const write = createWriteUsage(redis, randomUUID().slice(0, 8))
  return { counters, write, flush: createFlushUsage({ counters, write, clock, metrics }), metrics }
}

function reader() {
  return createReadUsage({ redis, clock, counted })
}

function countsOf(keyIds: readonly string[] = [keyId]) {
  return reader().keyCounts(principal.organization_id, keyIds)
}

function anAttempt(at: number): RejectedAttempt {
  return {
    ...{ at, key_id: keyId, status: 422, code: 'invalid_decision', detail: 'No \u0000 \u{1f600}.' },
    ...{ pointer: '/output', agent_id: null, sdk_version: null, request_id: `request-${at}` }
  }
}

describe('counts', () => {
  test('add up over several gateways, per key', async () => {
    const [one, other] = [createWriter(), createWriter()]
    one.counters.keyOf(principal).accepted += 3
    one.counters.rejected(principal, 'a', 'invalid_decision')
    other.counters.keyOf(principal).accepted += 4
    other.counters.rejected(principal, null, 'rate_limited')
    other.counters.dropped(principal, null, [['queue_full', 9]])
    other.counters.keyOf({ ...principal, key_id: 'anotherkey12' }).accepted += 100
    await Promise.all([one.flush(), other.flush()])
    one.counters.keyOf(principal).accepted += 5
    await one.flush()
    const counts = await countsOf([keyId, 'neverusedkey'])
    expect(Object.fromEntries(counts ?? [])).toEqual({
      [keyId]: {
        accepted: 12,
        rejected: 2,
        rejected_by_code: { invalid_decision: 1, rate_limited: 1 },
        dropped: { queue_full: 9 }
      },
      neverusedkey: { accepted: 0, rejected: 0, rejected_by_code: {}, dropped: {} }
    })
  })

  test('older than a day do not count for a key, and expire after 7 days', async () => {
    const writer = createWriter()
    writer.counters.keyOf(principal).accepted += 3
    await writer.flush()
    const name = keysName(principal.organization_id, Math.floor(now / hourMs))
    expect(await redis.ttl(name)).toBeGreaterThan(7 * 24 * 3600 - 60)
    try {
      now += 25 * hourMs
      expect((await countsOf())?.get(keyId)?.accepted).toBe(0)
    } finally {
      now -= 25 * hourMs
    }
  })

  test('of an organization are returned by key and period, and only in the range', async () => {
    const before = now
    const hour = now - (now % hourMs)
    const other = { ...principal, key_id: 'anotherkey12' }
    const starts = [hour, hour + 2 * hourMs]
    const counts = (accepted: number, codes: object, dropped = {}) => ({
      ...{ accepted, rejected: Object.keys(codes).length, rejected_by_code: codes, dropped }
    })
    try {
      now -= hourMs
      const writer = createWriter()
      writer.counters.keyOf(principal).accepted += 1000
      await writer.flush()
      now += hourMs
      await writer.flush()
      writer.counters.keyOf(principal).accepted += 3
      writer.counters.rejected(principal, 'a', 'invalid_decision')
      await writer.flush()
      now += 3 * hourMs
      await writer.flush()
      writer.counters.keyOf(other).accepted += 4
      writer.counters.rejected(other, null, 'rate_limited')
      writer.counters.dropped(other, null, [['queue_full', 9]])
      await writer.flush()
      const read = (to: number) => reader().outcomes(principal.organization_id, starts, to)
      const codes = { invalid_decision: 1, rate_limited: 1 }
      const late = counts(4, { rate_limited: 1 }, { queue_full: 9 })
      expect(await read(hour + 4 * hourMs)).toEqual({
        total: counts(7, codes, { queue_full: 9 }),
        keys: new Map([
          [keyId, counts(3, { invalid_decision: 1 })],
          ['anotherkey12', late]
        ]),
        periods: [counts(3, { invalid_decision: 1 }), late]
      })
      const early = await read(hour + 3 * hourMs)
      expect(early?.periods).toEqual([counts(3, { invalid_decision: 1 }), counts(0, {})])
      expect((await reader().outcomes(randomUUID(), starts, now))?.total).toEqual(counts(0, {}))
    } finally {
      now = before
    }
  })

  test('of an agent are returned by code, reason and hour', async () => {
    const writer = createWriter()
    const agent = 'agent \u{1f600}'
    const since = now - 2 * hourMs
    writer.counters.rejected(principal, agent, 'invalid_decision')
    writer.counters.rejected(principal, 'another organization', 'invalid_decision')
    await writer.flush()
    try {
      now += hourMs
      await writer.flush()
      writer.counters.rejected(principal, agent, 'rate_limited')
      writer.counters.dropped(principal, agent, [['queue_full', 7]])
      await writer.flush()
      const { agentIngestion } = reader()
      const hour = now - (now % hourMs)
      expect(await agentIngestion(principal.organization_id, agent, since)).toEqual({
        rejected: { invalid_decision: 1, rate_limited: 1 },
        dropped: { queue_full: 7 },
        hours: [
          { hour: hour - hourMs, rejected: 1, dropped: 0 },
          { hour, rejected: 1, dropped: 7 }
        ]
      })
      const nothing = { rejected: {}, dropped: {}, hours: [] }
      expect(await agentIngestion(principal.organization_id, 'unknown agent', 0)).toEqual(nothing)
      expect(await agentIngestion(randomUUID(), agent, since)).toEqual(nothing)
    } finally {
      now -= hourMs
    }
  })

  test('count a batch once even if it is written twice', async () => {
    const { counters, write } = createWriter()
    counters.keyOf(principal).accepted += 3
    counters.addAttempt(principal, anAttempt(now))
    const batch = { hour: Math.floor(now / hourMs), sequence: 1, usage: counters.drain() }
    for (let time = 0; time < 3; time++) await write(batch)
    expect((await countsOf())?.get(keyId)?.accepted).toBe(3)
    expect(await reader().attempts(principal.organization_id)).toEqual([anAttempt(now)])
  })

  test('are bounded: further entries count for `other`', async () => {
    const { counters, flush } = createWriter()
    const agents = fieldsMax - 10
    for (let agent = 0; agent < agents; agent++) {
      counters.rejected(principal, `agent ${agent}`, 'invalid_decision')
    }
    await flush()
    for (let agent = 0; agent < 100; agent++) {
      counters.rejected(principal, `more ${agent}`, 'invalid_decision')
    }
    await flush()
    const name = agentsName(principal.organization_id, Math.floor(now / hourMs))
    const fields = await redis.hgetall(name)
    const counts = Object.entries(fields).filter(([field]) => !field.startsWith('writer:'))
    expect(Object.keys(fields).length).toBeLessThanOrEqual(fieldsMax + 2)
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(agents + 100)
    expect(Number(fields['other invalid_decision'])).toBeGreaterThan(80)
  })
})

test('keeps the last 20 attempts unchanged, newest first', async () => {
  const [one, other] = [createWriter(), createWriter()]
  for (let at = 1; at <= 15; at++) {
    one.counters.addAttempt(principal, anAttempt(2 * at))
    other.counters.addAttempt(principal, anAttempt(2 * at + 1))
  }
  await one.flush()
  await other.flush()
  const attempts = await reader().attempts(principal.organization_id)
  expect(attempts).toEqual(Array.from({ length: 20 }, (_, index) => anAttempt(31 - index)))
})

test('returns the last use of a key', async () => {
  const { counters, flush } = createWriter()
  const use = { at: now, address: '192.0.2.1', sdk_version: null }
  const used = { ...principal, key_id: randomUUID().slice(0, 12) }
  counters.keyOf(used).use = use
  await flush()
  const uses = await reader().keyUse([used.key_id, 'neverusedkey'])
  expect([...(uses ?? [])]).toEqual([[used.key_id, use]])
  expect(await reader().keyUse([])).toEqual(new Map())
})

describe('Redis unavailable', () => {
  test('fails no call while it is frozen, and counts every batch once afterwards', async () => {
    const { counters, flush, metrics } = createWriter()
    counters.keyOf(principal).accepted += 3
    await pauseService('redis')
    try {
      await flush()
      counters.keyOf(principal).accepted += 4
      await flush()
      expect(await countsOf()).toBeNull()
      expect(await reader().attempts(principal.organization_id)).toBeNull()
      expect(await reader().outcomes(principal.organization_id, [now], now + 1)).toBeNull()
      expect(await reader().agentIngestion(principal.organization_id, 'a', now)).toBeNull()
      expect(await reader().keyUse([keyId])).toBeNull()
    } finally {
      await resumeService('redis')
    }
    const outcomes = () => metrics.labelsOf('sluice_usage_flushes_total')
    expect(outcomes()).toEqual([{ outcome: 'failed' }, { outcome: 'failed' }])
    await waitUntil('all is written', async () => {
      await flush()
      return outcomes().filter(({ outcome }) => outcome === 'written').length === 2
    })
    // The batch that was sent while Redis was frozen has arrived too.
    expect((await countsOf())?.get(keyId)?.accepted).toBe(7)
  })
})
