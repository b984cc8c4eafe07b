/** Facts in a real Redis: of several writers, added up once, bounded, gone when they are old. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { KeyPrincipal } from '../../core/principal.ts'
import { createFlushFacts } from '../../usage/flush-facts.ts'
import { agentsName, hourMs, keysName } from '../../usage/fact-names.ts'
import type { RefusedAttempt } from '../../usage/facts.ts'
import { createNotedFacts } from '../../usage/noted-facts.ts'
import { createReadFacts } from '../../usage/read-facts.ts'
import { createWriteFacts, fieldsMax } from '../../usage/write-facts.ts'
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
  const noted = createNotedFacts({ metrics })
  const write = createWriteFacts(redis, randomUUID().slice(0, 8))
  return { noted, write, flush: createFlushFacts({ noted, write, clock, metrics }), metrics }
}

function reader() {
  return createReadFacts({ redis, clock, counted })
}

function countsOf(keyIds: readonly string[] = [keyId]) {
  return reader().keyCounts(principal.organization_id, keyIds)
}

function anAttempt(at: number): RefusedAttempt {
  return {
    ...{ at, key_id: keyId, status: 422, code: 'invalid_decision', detail: 'No \u0000 \u{1f600}.' },
    ...{ pointer: '/output', agent_id: null, sdk_version: null, request_id: `request-${at}` }
  }
}

describe('counts', () => {
  test('of several gateways are added up, key by key', async () => {
    const [one, other] = [createWriter(), createWriter()]
    one.noted.keyOf(principal).accepted += 3
    one.noted.rejected(principal, 'a', 'invalid_decision')
    other.noted.keyOf(principal).accepted += 4
    other.noted.rejected(principal, null, 'rate_limited')
    other.noted.dropped(principal, null, [['queue_full', 9]])
    other.noted.keyOf({ ...principal, key_id: 'anotherkey12' }).accepted += 100
    await Promise.all([one.flush(), other.flush()])
    one.noted.keyOf(principal).accepted += 5
    await one.flush()
    const counts = await countsOf([keyId, 'neverusedkey'])
    expect(Object.fromEntries(counts ?? [])).toEqual({
      [keyId]: {
        accepted: 12,
        rejected: 2,
        rejected_by_code: { invalid_decision: 1, rate_limited: 1 },
        dropped: 9
      },
      neverusedkey: { accepted: 0, rejected: 0, rejected_by_code: {}, dropped: 0 }
    })
  })

  test('of more than a day ago no longer count for a key, and end after 7 days', async () => {
    const writer = createWriter()
    writer.noted.keyOf(principal).accepted += 3
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

  test('of an agent are told by code, reason and hour', async () => {
    const writer = createWriter()
    const agent = 'agent \u{1f600}'
    const since = now - 2 * hourMs
    writer.noted.rejected(principal, agent, 'invalid_decision')
    writer.noted.rejected(principal, 'somebody else', 'invalid_decision')
    await writer.flush()
    try {
      now += hourMs
      await writer.flush()
      writer.noted.rejected(principal, agent, 'rate_limited')
      writer.noted.dropped(principal, agent, [['queue_full', 7]])
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
      expect(await agentIngestion(principal.organization_id, 'nobody', 0)).toEqual(nothing)
      expect(await agentIngestion(randomUUID(), agent, since)).toEqual(nothing)
    } finally {
      now -= hourMs
    }
  })

  test('the same batch, written again, counts once', async () => {
    const { noted, write } = createWriter()
    noted.keyOf(principal).accepted += 3
    noted.refused(principal, anAttempt(now))
    const batch = { hour: Math.floor(now / hourMs), sequence: 1, facts: noted.drain() }
    for (let time = 0; time < 3; time++) await write(batch)
    expect((await countsOf())?.get(keyId)?.accepted).toBe(3)
    expect(await reader().attempts(principal.organization_id)).toEqual([anAttempt(now)])
  })

  test('find no room without end: what is beyond is of nobody', async () => {
    const { noted, flush } = createWriter()
    const agents = fieldsMax - 10
    for (let agent = 0; agent < agents; agent++) {
      noted.rejected(principal, `agent ${agent}`, 'invalid_decision')
    }
    await flush()
    for (let agent = 0; agent < 100; agent++) {
      noted.rejected(principal, `more ${agent}`, 'invalid_decision')
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

test('of attempts the last 20 are kept, newest first, as they were', async () => {
  const [one, other] = [createWriter(), createWriter()]
  for (let at = 1; at <= 15; at++) {
    one.noted.refused(principal, anAttempt(2 * at))
    other.noted.refused(principal, anAttempt(2 * at + 1))
  }
  await one.flush()
  await other.flush()
  const attempts = await reader().attempts(principal.organization_id)
  expect(attempts).toEqual(Array.from({ length: 20 }, (_, index) => anAttempt(31 - index)))
})

test('the last use of a key is told with who used it', async () => {
  const { noted, flush } = createWriter()
  const use = { at: now, address: '192.0.2.1', sdk_version: null }
  const used = { ...principal, key_id: randomUUID().slice(0, 12) }
  noted.keyOf(used).use = use
  await flush()
  const uses = await reader().keyUse([used.key_id, 'neverusedkey'])
  expect([...(uses ?? [])]).toEqual([[used.key_id, use]])
  expect(await reader().keyUse([])).toEqual(new Map())
})

describe('Redis away', () => {
  test('frozen: nothing throws, null is told, and afterwards all of it counts once', async () => {
    const { noted, flush, metrics } = createWriter()
    noted.keyOf(principal).accepted += 3
    await pauseService('redis')
    try {
      await flush()
      noted.keyOf(principal).accepted += 4
      await flush()
      expect(await countsOf()).toBeNull()
      expect(await reader().attempts(principal.organization_id)).toBeNull()
      expect(await reader().agentIngestion(principal.organization_id, 'a', now)).toBeNull()
      expect(await reader().keyUse([keyId])).toBeNull()
    } finally {
      await resumeService('redis')
    }
    const outcomes = () => metrics.labelsOf('sluice_facts_flushes_total')
    expect(outcomes()).toEqual([{ outcome: 'failed' }, { outcome: 'failed' }])
    await waitUntil('all is written', async () => {
      await flush()
      return outcomes().filter(({ outcome }) => outcome === 'written').length === 2
    })
    // What was sent while it was frozen has arrived by now as well.
    expect((await countsOf())?.get(keyId)?.accepted).toBe(7)
  })
})
