/** Facts in memory: added up, taken away, and never more than so many. */
import { describe, expect, test } from '@jest/globals'
import type { KeyPrincipal } from '../../../core/principal.ts'
import type { RefusedAttempt } from '../../../usage/facts.ts'
import { agentsMax, attemptsMax, attemptsOfAllMax } from '../../../usage/noted-facts.ts'
import { createNotedFacts, keysMax } from '../../../usage/noted-facts.ts'
import { organizationsMax } from '../../../usage/noted-facts.ts'
import { RecordingMetrics } from '../consumers/recording-metrics.ts'
import { principal } from '../gateway/ingest/fakes.ts'

function scene() {
  const metrics = new RecordingMetrics()
  const noted = createNotedFacts({ metrics })
  const leftOut = () => metrics.labelsOf('sluice_facts_left_out_total').map(({ kind }) => kind)
  return { noted, leftOut }
}

function anAttempt(at: number): RefusedAttempt {
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

test('what is noted is added up, and taken away once', () => {
  const { noted } = scene()
  noted.keyOf(principal).accepted += 2
  noted.keyOf(principal).accepted += 3
  noted.rejected(principal, 'a', 'invalid_decision')
  noted.rejected(principal, null, 'malformed_json')
  noted.dropped(principal, 'a', [['queue_full', 7]])
  noted.refused(principal, anAttempt(1))
  const { keys, organizations } = noted.drain()
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
  expect(noted.drain()).toEqual({ keys: new Map(), organizations: new Map() })
})

test('of the attempts of an organization the last are kept', () => {
  const { noted, leftOut } = scene()
  for (let at = 1; at <= attemptsMax + 5; at++) noted.refused(principal, anAttempt(at))
  const attempts = noted.drain().organizations.get(principal.organization_id)?.attempts ?? []
  expect(attempts.map(({ at }) => at)).toEqual(
    Array.from({ length: attemptsMax }, (_, index) => index + 6)
  )
  expect(leftOut()).toEqual([])
})

describe('beyond its limit a fact is left out, and counted as that', () => {
  test('keys', () => {
    const { noted, leftOut } = scene()
    for (let key = 0; key < keysMax; key++) noted.keyOf(keyOf(String(key))).accepted += 1
    noted.keyOf(keyOf('one more')).accepted += 1
    noted.keyOf(keyOf('0')).accepted += 1
    expect(leftOut()).toEqual(['key'])
    const { keys } = noted.drain()
    expect([keys.size, keys.get('0')?.accepted]).toEqual([keysMax, 2])
  })

  test('agents, of all organizations together', () => {
    const { noted, leftOut } = scene()
    for (let agent = 0; agent < agentsMax; agent++) {
      noted.rejected(principal, String(agent), 'invalid_decision')
    }
    noted.rejected(of('another'), 'one more', 'invalid_decision')
    noted.rejected(principal, '0', 'invalid_decision')
    expect(leftOut()).toEqual(['agent'])
    const { keys, organizations } = noted.drain()
    expect(organizations.get(principal.organization_id)?.agents.size).toBe(agentsMax)
    // Of the key it is known all the same.
    expect(keys.get(principal.key_id)?.rejected.get('invalid_decision')).toBe(agentsMax + 2)
  })

  test('attempts and organizations', () => {
    const { noted, leftOut } = scene()
    const organizations = attemptsOfAllMax / attemptsMax
    for (let at = 0; at < attemptsOfAllMax; at++) {
      noted.refused(of(String(at % organizations)), anAttempt(at))
    }
    noted.refused(of('one more'), anAttempt(1))
    expect(leftOut()).toEqual(['attempt'])
    for (let other = 0; other < organizationsMax; other++) {
      noted.dropped(of(`other ${other}`), '', [])
    }
    expect(noted.drain().organizations.size).toBe(organizationsMax)
  })
})
