/** The steps of onboarding: done where a fact says so, and never a guess. */
import { describe, expect, test } from '@jest/globals'
import type { Progress } from '../../../../api/onboarding/progress.ts'
import { countDone, stepIds, stepsOf } from '../../../../api/onboarding/steps.ts'
import type { RefusedAttempt } from '../../../../usage/facts.ts'

const at = Date.UTC(2026, 0, 31, 12)
const later = at + 60_000
const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

const nothing: Progress = {
  ...{ email: null, keys: [], attempts: [], uses: new Map() },
  ...{ decision: null, score: null }
}
const key = { key_id: 'abcdefghijkl', name: 'first', created_at: new Date(at), last_used_at: null }
const attempt: RefusedAttempt = {
  ...{ at: later, key_id: 'abcdefghijkl', status: 422, code: 'invalid_decision' },
  ...{ detail: '/output is required.', pointer: '/output', agent_id: null, sdk_version: null },
  request_id: 'request-1'
}
const decision = { decision_id, received_at: new Date(at), stored_at: new Date(later) }
const score = { decision_id, name: 'pii', evaluated_at: new Date(later) }

function doneOf(progress: Partial<Progress>) {
  const steps = stepsOf({ ...nothing, ...progress })
  return Object.fromEntries(steps.map(({ id, done_at }) => [id, done_at?.getTime() ?? null]))
}

function detailOf(progress: Partial<Progress>, id: string) {
  return stepsOf({ ...nothing, ...progress }).find((step) => step.id === id)?.detail
}

test('in the beginning nothing is done, and every step says what to do', () => {
  const steps = stepsOf(nothing)
  expect(steps.map(({ id }) => id)).toEqual(stepIds.slice(1))
  expect(countDone(steps)).toBe(0)
  expect(steps.filter(({ hint }) => hint === '')).toEqual([])
})

test('in the end all are', () => {
  const email = { email: 'a@example.org', email_verified_at: new Date(at) }
  const all = { email, keys: [key], decision, score }
  expect(doneOf(all)).toEqual({
    ...{ email_verified: at, key_created: at, first_request_seen: at },
    ...{ first_decision_stored: later, first_score: later }
  })
})

describe('the first request is seen', () => {
  test('also where it was refused, and why', () => {
    expect(doneOf({ attempts: [attempt] })).toMatchObject({
      first_request_seen: later,
      first_decision_stored: null
    })
    expect(detailOf({ attempts: [attempt] }, 'first_request_seen')).toBe(
      'The last refusal: 422 invalid_decision, /output is required. ' +
        '(2026-01-31T12:01:00.000Z, request request-1)'
    )
  })

  test.each<[string, Partial<Progress>]>([
    [
      'where a key was used',
      { uses: new Map([['a', { at, address: null, sdk_version: null }]]), attempts: [attempt] }
    ],
    ['where the store says that one was', { keys: [{ ...key, last_used_at: new Date(at) }] }],
    ['where a decision is stored, also without Redis', { decision, attempts: null, uses: null }]
  ])('%s', (_what, progress) => {
    expect(doneOf(progress)['first_request_seen']).toBe(at)
  })

  test('without Redis it says that it cannot tell', () => {
    const away = { attempts: null, uses: null }
    expect(doneOf(away)['first_request_seen']).toBeNull()
    expect(detailOf(away, 'first_request_seen')).toContain('cannot be told now')
  })
})
