/** Tests the status of an agent: active, new, idle, silent or archived. */
import { describe, expect, test } from '@jest/globals'
import { referenceOf, silenceOf } from '../../../../api/profiles/agent-status.ts'
import { statusOf } from '../../../../api/profiles/agent-status.ts'

const hour = 3_600_000
const day = 24 * hour
const now = Date.UTC(2026, 0, 31, 12)

function agent(firstSeenAgo: number, lastSeenAgo: number, archived = false) {
  return { firstSeen: now - firstSeenAgo, lastSeen: now - lastSeenAgo, archived }
}

describe('the reference hours of a silence', () => {
  test('are the same hours one week earlier', () => {
    expect(referenceOf(agent(30 * day, 3 * hour), now)).toEqual({
      from: now - 3 * hour - 7 * day,
      to: now - 7 * day
    })
  })

  test('are a whole week for a longer silence', () => {
    const reference = referenceOf(agent(60 * day, 20 * day), now)
    expect(reference).toEqual({ from: now - 27 * day, to: now - 20 * day })
  })

  test('are the lifetime of an agent younger than a week that is silent for a day', () => {
    expect(referenceOf(agent(4 * day, day), now)).toEqual({ from: now - 4 * day, to: now - day })
  })

  test.each([
    ['seen just now', agent(30 * day, hour / 2)],
    ['silent for more than a month', agent(90 * day, 31 * day)],
    ['archived', agent(30 * day, day, true)],
    ['young and silent for hours', agent(4 * day, 5 * hour)],
    ['seen only once', agent(2 * day, 2 * day)],
    ['seen after the time that storage has reached', agent(day, -hour)]
  ])('nothing: %s', (_what, times) => {
    expect(referenceOf(times, now)).toBeNull()
  })
})

test.each([
  [4, null],
  [5, { since: '2026-01-31T09:00:00.000Z', usual_per_hour: 1.7, expected: 5 }],
  [300, { since: '2026-01-31T09:00:00.000Z', usual_per_hour: 100, expected: 300 }]
])('of %i expected decisions derives the silence %j', (decisions, silence) => {
  const reference = { from: now - 3 * hour - 7 * day, to: now - 7 * day }
  const times = { lastSeen: now - 3 * hour }
  expect(silenceOf(times, { reference, decisions, now })).toEqual(silence)
})

test.each([
  [agent(30 * day, hour), 'active'],
  [agent(2 * day, hour), 'new'],
  [agent(30 * day, day), 'idle'],
  [agent(2 * day, day), 'idle'],
  [agent(2 * day, hour, true), 'archived']
])('%j is %s', (times, status) => {
  expect(statusOf(times, null, now)).toBe(status)
})

test('is silent with a silence, unless archived', () => {
  const silence = { since: '', usual_per_hour: 1, expected: 9 }
  expect(statusOf(agent(2 * day, 2 * hour), silence, now)).toBe('silent')
  expect(statusOf(agent(2 * day, 2 * hour, true), silence, now)).toBe('archived')
})
