/** Outcomes: exactly one for each decision, and what the caller learns beside it. */
import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { createOutcomes } from '../../../../gateway/ingest/outcomes.ts'
import { aDecision } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { callOf } from '../../api/fakes.ts'
import { createNotes, principal, quota } from './fakes.ts'

const call = callOf()
const known = { call, submission: null }

function scene(refusal: Problem | null = null) {
  const metrics = new RecordingMetrics()
  const charged: { principal: KeyPrincipal; points: number }[] = []
  const outcomes = createOutcomes({
    ...{ metrics, facts: createNotes().notes },
    limitRate: async (who, points) => {
      charged.push({ principal: who, points })
      return { ...quota, refusal }
    }
  })
  const counted = () => metrics.labelsOf('sluice_ingest_outcomes_total')
  return { outcomes, charged, counted }
}

describe('acknowledge', () => {
  test('answers 202 with two members and the quota', () => {
    const { outcomes, counted } = scene()
    const decision = aDecision()
    const reply = outcomes.acknowledge({ ...known, principal, decision, quota })
    expect(reply).toEqual({
      status: 202,
      headers: { 'content-type': 'application/json; charset=utf-8', ...quota.headers },
      body: JSON.stringify({ decision_id: decision.decision_id, queued: true })
    })
    expect(counted()).toEqual([{ outcome: 'queued', reason: '' }])
  })
})

describe('refuse', () => {
  const problem = new Problem('log_unavailable', {
    detail: 'The log did not acknowledge.',
    headers: { 'retry-after': '2' }
  })

  test('counts the code, and adds the id and the quota to the answer', async () => {
    const { outcomes, charged, counted } = scene()
    const decision = aDecision()
    const refused = (await outcomes.refuse(
      { ...known, principal, decision, quota },
      problem
    )) as Problem
    expect(refused.code).toBe('log_unavailable')
    expect(refused.options).toMatchObject({
      members: { decision_id: decision.decision_id },
      headers: { 'retry-after': '2', ...quota.headers }
    })
    expect(counted()).toEqual([{ outcome: 'rejected', reason: 'log_unavailable' }])
    expect(charged).toEqual([])
  })

  test('an item that is no decision is charged all the same', async () => {
    const { outcomes, charged } = scene()
    const invalid = new Problem('invalid_decision', { detail: 'No.' })
    const attempt = { ...outcomes.begin(call), principal }
    const refused = (await outcomes.refuse(attempt, invalid)) as Problem
    expect(charged).toEqual([{ principal, points: 1 }])
    expect(refused.options.headers).toEqual(quota.headers)
    expect(refused.options.members).toEqual({})
  })

  test.each([
    ['before its point was taken', null, 16],
    ['after that', quota, 15]
  ])('what cannot succeed is charged by what was read of it, %s', async (_when, taken, points) => {
    const { outcomes, charged } = scene()
    const tooLarge = new Problem('payload_too_large', { detail: 'No.' })
    const attempt = { ...outcomes.begin(callOf({ body_bytes: 1024 * 1024 })), principal }
    await outcomes.refuse({ ...attempt, quota: taken }, tooLarge)
    expect(charged).toEqual([{ principal, points }])
  })

  test('an invalid item over the limit keeps its own refusal', async () => {
    const { outcomes } = scene(new Problem('rate_limited', { detail: 'Too many.' }))
    const invalid = new Problem('invalid_decision', { detail: 'No.' })
    const attempt = { ...outcomes.begin(call), principal }
    const refused = (await outcomes.refuse(attempt, invalid)) as Problem
    expect(refused.code).toBe('invalid_decision')
  })

  test.each([
    ['without a key there is nobody to charge', null, null],
    ['what was refused by the limit is not charged again', principal, quota]
  ])('%s', async (_what, who, taken) => {
    const { outcomes, charged } = scene()
    await outcomes.refuse({ ...known, principal: who, decision: null, quota: taken }, problem)
    expect(charged).toEqual([])
  })

  test('what nobody expected is counted and passed on as it is', async () => {
    const { outcomes, charged, counted } = scene()
    const bug = new TypeError('a bug')
    const attempt = { ...outcomes.begin(call), principal }
    expect(await outcomes.refuse(attempt, bug)).toBe(bug)
    expect(counted()).toEqual([{ outcome: 'rejected', reason: 'internal_error' }])
    expect(charged).toEqual([])
  })
})

test('an attempt begins knowing nothing', () => {
  expect(scene().outcomes.begin(call)).toEqual({
    ...known,
    principal: null,
    decision: null,
    quota: null
  })
})
