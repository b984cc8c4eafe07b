/** Tests that an onboarding step counts as done only if stored data proves it. */
import { describe, expect, test } from '@jest/globals'
import type { Progress } from '../../../../api/onboarding/queries.ts'
import { stepIds } from '../../../../api/onboarding/schemas.ts'
import { countDone, stepsOf } from '../../../../api/onboarding/steps.ts'
import type { RejectedAttempt } from '../../../../usage/usage.ts'

const at = Date.UTC(2026, 0, 31, 12)
const later = at + 60_000
const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

const nothing: Progress = {
  ...{ email: null, keys: [], attempts: [], uses: new Map() },
  ...{ decision: null, score: null }
}
const key = { key_id: 'abcdefghijkl', name: 'first', created_at: new Date(at), last_used_at: null }
const attempt: RejectedAttempt = {
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

test('begins with no step done and a hint for each', () => {
  const steps = stepsOf(nothing)
  expect(steps.map(({ id }) => id)).toEqual(stepIds.slice(1))
  expect(countDone(steps)).toBe(0)
  expect(steps.filter(({ hint }) => hint === '')).toEqual([])
})

test('marks all steps as done in the end', () => {
  const email = { email: 'a@example.org', email_verified_at: new Date(at) }
  const all = { email, keys: [key], decision, score }
  expect(doneOf(all)).toEqual({
    ...{ email_verified: at, key_created: at, first_request_seen: at },
    ...{ first_decision_stored: later, first_score: later }
  })
})

describe('first_request_seen', () => {
  test('is done by a rejected request, with the reason', () => {
    expect(doneOf({ attempts: [attempt] })).toMatchObject({
      first_request_seen: later,
      first_decision_stored: null
    })
    expect(detailOf({ attempts: [attempt] }, 'first_request_seen')).toBe(
      'Last rejected request: 422 invalid_decision, /output is required. ' +
        '(2026-01-31T12:01:00.000Z, request request-1)'
    )
  })

  test.each<[string, Partial<Progress>]>([
    [
      'is done if a key was used',
      { uses: new Map([['a', { at, address: null, sdk_version: null }]]), attempts: [attempt] }
    ],
    [
      'is done if the database has the last use of a key',
      { keys: [{ ...key, last_used_at: new Date(at) }] }
    ],
    [
      'is done if a decision is stored, even without Redis',
      { decision, attempts: null, uses: null }
    ]
  ])('%s', (_what, progress) => {
    expect(doneOf(progress)['first_request_seen']).toBe(at)
  })

  test('says that rejected requests are unknown without Redis', () => {
    const unavailable = { attempts: null, uses: null }
    expect(doneOf(unavailable)['first_request_seen']).toBeNull()
    expect(detailOf(unavailable, 'first_request_seen')).toContain('cannot be shown')
  })
})
