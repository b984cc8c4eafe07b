/** Tests usage counters in memory: sums, drains and limits. */
import { describe, expect, test } from '@jest/globals'
import type { KeyPrincipal } from '../../../core/principal.ts'
import type { RejectedAttempt } from '../../../usage/usage.ts'
import { agentsMax, attemptsMax, attemptsOfAllMax } from '../../../usage/usage-counters.ts'
import { createUsageCounters, keysMax } from '../../../usage/usage-counters.ts'
import { organizationsMax } from '../../../usage/usage-counters.ts'
import { RecordingMetrics } from '../consumers/recording-metrics.ts'
import { principal } from '../gateway/ingest/fakes.ts'

function scene() {
  const metrics = new RecordingMetrics()
  const counters = createUsageCounters({ metrics })
  const dropped = () => metrics.labelsOf('sluice_usage_dropped_total').map(({ kind }) => kind)
  return { counters, dropped }
}

function anAttempt(at: number): RejectedAttempt {
  return {
    ...{ at, key_id: 'abcdefghijkl', status: 422, code: 'invalid_decision', detail: 'No.' },
    ...{ pointer: null, agent_id: null, sdk_version: null, request_id: `request-${at}` }
  }
}

function keyOf(name: string): KeyPrincipal {
  return { ...principal, key_id: name }
}

function of(organization_id: string): KeyPrincipal {
  return { ...principal, organization_id }
}

test('adds up the counters and drains them once', () => {
  const { counters } = scene()
  counters.keyOf(principal).accepted += 2
  counters.keyOf(principal).accepted += 3
  counters.rejected(principal, 'a', 'invalid_decision')
  counters.rejected(principal, null, 'malformed_json')
  counters.dropped(principal, 'a', [['queue_full', 7]])
  counters.addAttempt(principal, anAttempt(1))
  const { keys, organizations } = counters.drain()
  expect(keys.get(principal.key_id)).toEqual({
    organization_id: principal.organization_id,
    accepted: 5,
    rejected: new Map([
      ['invalid_decision', 1],
      ['malformed_json', 1]
    ]),
    dropped: new Map([['queue_full', 7]]),
    use: null
  })
  const organization = organizations.get(principal.organization_id)
  expect(organization?.agents.get('a')).toEqual({
    rejected: new Map([['invalid_decision', 1]]),
    dropped: new Map([['queue_full', 7]])
  })
  expect(organization?.attempts).toEqual([anAttempt(1)])
  expect(counters.drain()).toEqual({ keys: new Map(), organizations: new Map() })
})

test('keeps the latest attempts of an organization', () => {
  const { counters, dropped } = scene()
  for (let at = 1; at <= attemptsMax + 5; at++) counters.addAttempt(principal, anAttempt(at))
  const attempts = counters.drain().organizations.get(principal.organization_id)?.attempts ?? []
  expect(attempts.map(({ at }) => at)).toEqual(
    Array.from({ length: attemptsMax }, (_, index) => index + 6)
  )
  expect(dropped()).toEqual([])
})

describe('beyond its limit an entry is dropped, and the drop is counted', () => {
  test('keys', () => {
    const { counters, dropped } = scene()
    for (let key = 0; key < keysMax; key++) counters.keyOf(keyOf(String(key))).accepted += 1
    counters.keyOf(keyOf('one more')).accepted += 1
    counters.keyOf(keyOf('0')).accepted += 1
    expect(dropped()).toEqual(['key'])
    const { keys } = counters.drain()
    expect([keys.size, keys.get('0')?.accepted]).toEqual([keysMax, 2])
  })

  test('agents, of all organizations together', () => {
    const { counters, dropped } = scene()
    for (let agent = 0; agent < agentsMax; agent++) {
      counters.rejected(principal, String(agent), 'invalid_decision')
    }
    counters.rejected(of('another'), 'one more', 'invalid_decision')
    counters.rejected(principal, '0', 'invalid_decision')
    expect(dropped()).toEqual(['agent'])
    const { keys, organizations } = counters.drain()
    expect(organizations.get(principal.organization_id)?.agents.size).toBe(agentsMax)
    // The counters of the key still include the decisions of the dropped agent.
    expect(keys.get(principal.key_id)?.rejected.get('invalid_decision')).toBe(agentsMax + 2)
  })

  test('attempts and organizations', () => {
    const { counters, dropped } = scene()
    const organizations = attemptsOfAllMax / attemptsMax
    for (let at = 0; at < attemptsOfAllMax; at++) {
      counters.addAttempt(of(String(at % organizations)), anAttempt(at))
    }
    counters.addAttempt(of('one more'), anAttempt(1))
    expect(dropped()).toEqual(['attempt'])
    for (let other = 0; other < organizationsMax; other++) {
      counters.dropped(of(`other ${other}`), '', [])
    }
    expect(counters.drain().organizations.size).toBe(organizationsMax)
  })
})
