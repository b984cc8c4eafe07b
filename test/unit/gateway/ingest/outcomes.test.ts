/** Tests that each decision has exactly one outcome, and that the response matches it. */
import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { createOutcomes } from '../../../../gateway/ingest/outcomes.ts'
import { aDecision } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { callOf } from '../../api/fakes.ts'
import { batchOf, createNotes, principal, quota } from './fakes.ts'

const call = callOf()

function scene(problem: Problem | null = null) {
  const metrics = new RecordingMetrics()
  const charged: { principal: KeyPrincipal; points: number }[] = []
  const outcomes = createOutcomes({
    ...{ metrics, usage: createNotes().notes },
    limitRate: async (who, points) => {
      charged.push({ principal: who, points })
      return { ...quota, problem }
    }
  })
  const counted = () => metrics.labelsOf('sluice_ingest_outcomes_total')
  return { outcomes, charged, counted }
}

describe('acknowledge', () => {
  test('responds 202 with two members and the quota', () => {
    const { outcomes, counted } = scene()
    const decision = aDecision()
    const reply = outcomes.acknowledge({
      call,
      principal,
      batch: batchOf([{ record: decision }]),
      quota
    })
    expect(reply).toEqual({
      status: 202,
      headers: { 'content-type': 'application/json; charset=utf-8', ...quota.headers },
      body: JSON.stringify({ decision_id: decision.decision_id, queued: true })
    })
    expect(counted()).toEqual([{ outcome: 'queued', reason: '' }])
  })
})

describe('reject', () => {
  const problem = new Problem('log_unavailable', {
    detail: 'The write was not acknowledged in time.',
    headers: { 'retry-after': '2' }
  })

  test('counts the code and adds the id and the quota to the response', async () => {
    const { outcomes, charged, counted } = scene()
    const decision = aDecision()
    const batch = batchOf([{ record: decision, problem }])
    const refused = (await outcomes.reject({ call, principal, batch, quota }, problem)) as Problem
    expect(refused.code).toBe('log_unavailable')
    expect(refused.options).toMatchObject({
      members: { decision_id: decision.decision_id },
      headers: { 'retry-after': '2', ...quota.headers }
    })
    expect(counted()).toEqual([{ outcome: 'rejected', reason: 'log_unavailable' }])
    expect(charged).toEqual([])
  })

  test('charges an item that is not a decision', async () => {
    const { outcomes, charged } = scene()
    const invalid = new Problem('invalid_decision', { detail: 'No.' })
    const batch = batchOf([{ problem: invalid, id: aDecision().decision_id }])
    const attempt = { ...outcomes.begin(call), principal, batch }
    const refused = (await outcomes.reject(attempt, invalid)) as Problem
    expect(charged).toEqual([{ principal, points: 1 }])
    expect(refused.options.headers).toEqual(quota.headers)
    expect(refused.options.members).toEqual({})
  })

  test.each([
    ['before its point was taken', null, 16],
    ['after its point was taken', quota, 15]
  ])('charges a rejection by the bytes read, %s', async (_when, taken, points) => {
    const { outcomes, charged } = scene()
    const tooLarge = new Problem('payload_too_large', { detail: 'No.' })
    const attempt = { ...outcomes.begin(callOf({ body_bytes: 1024 * 1024 })), principal }
    await outcomes.reject({ ...attempt, quota: taken }, tooLarge)
    expect(charged).toEqual([{ principal, points }])
  })

  test('an invalid item over the limit keeps its own problem', async () => {
    const { outcomes } = scene(new Problem('rate_limited', { detail: 'Too many.' }))
    const invalid = new Problem('invalid_decision', { detail: 'No.' })
    const attempt = { ...outcomes.begin(call), principal }
    const refused = (await outcomes.reject(attempt, invalid)) as Problem
    expect(refused.code).toBe('invalid_decision')
  })

  test.each([
    ['charges nothing without a known key', null, null],
    ['does not charge a rejection by the rate limit again', principal, quota]
  ])('%s', async (_what, who, taken) => {
    const { outcomes, charged } = scene()
    await outcomes.reject({ call, principal: who, batch: null, quota: taken }, problem)
    expect(charged).toEqual([])
  })

  test('counts an unexpected error and passes it on unchanged', async () => {
    const { outcomes, charged, counted } = scene()
    const bug = new TypeError('a bug')
    const attempt = { ...outcomes.begin(call), principal }
    expect(await outcomes.reject(attempt, bug)).toBe(bug)
    expect(counted()).toEqual([{ outcome: 'rejected', reason: 'internal_error' }])
    expect(charged).toEqual([])
  })
})

test('a new attempt has no principal, batch or quota', () => {
  expect(scene().outcomes.begin(call)).toEqual({ call, principal: null, batch: null, quota: null })
})
