/** Tests which scores of spans are rejected, and which make the exporter wait. */
import { expect, test } from '@jest/globals'
import type { PushedResult } from '../../../../api/results/scores/push-scores.ts'
import { Problem } from '../../../../core/problem.ts'
import type { SpanScore } from '../../../../gateway/otlp/log-records.ts'
import { createPushSpanScores } from '../../../../gateway/otlp/push-span-scores.ts'
import { principal } from '../ingest/fakes.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const evaluator = { ...principal, scopes: ['ingest', 'evaluation:write'] as const }

function aScore(at: number): SpanScore {
  const body = { id: 'a', decision_id: 'b', name: 'n', value: 1, label: null, reason: null }
  return { where: '4bf9:00f0', at, body }
}

/** Pushes scores that all get this result. Returns the sizes of the transactions, too. */
async function push(scores: readonly SpanScore[], result: PushedResult['result'], who = evaluator) {
  const sizes: number[] = []
  const pushSpanScores = createPushSpanScores({
    pushScores: (_who, some) => {
      sizes.push(some.length)
      return Promise.resolve(some.map(({ id }) => ({ id, result })))
    },
    clock: { now: () => now },
    pause: () => Promise.resolve()
  })
  return { rejected: await pushSpanScores(who, scores), sizes }
}

/** The problem while storage has stored what arrived until this time. */
const missing = (asOf: number | null) => {
  const as_of = asOf === null ? null : new Date(asOf).toISOString()
  return new Problem('decision_not_found', { detail: 'No decision.', members: { as_of } })
}

test.each([
  ['is new', now - 9000, now, '2'],
  ['has a clock that is ahead', now + 9000, now, '2'],
  ['is old while storage is behind', now - 90_000, now - 31_000, '10'],
  ['is old before storage has started', now - 90_000, null, '10']
])('a score without a decision that %s waits', async (_what, at, asOf, retryAfter) => {
  await expect(push([aScore(at)], missing(asOf))).rejects.toMatchObject({
    code: 'decision_pending',
    options: { headers: { 'retry-after': retryAfter } }
  })
})

test.each([
  ['is old', now - 90_000, now - 30_000],
  ['comes from the future', now + 3_600_000, now]
])('a score without a decision that %s is rejected', async (_what, at, asOf) => {
  expect((await push([aScore(at)], missing(asOf))).rejected).toMatchObject([
    { fault: 'decision_not_found', reason: expect.stringContaining('no decision of the span') }
  ])
})

test('a score is tried again while storage catches up', async () => {
  const results = [missing(now), missing(now), null]
  const pauses: number[] = []
  const pushSpanScores = createPushSpanScores({
    pushScores: () => Promise.resolve([{ id: 'a', result: results.shift() ?? null }]),
    clock: { now: () => now },
    pause: (ms) => Promise.resolve(pauses.push(ms))
  })
  expect(await pushSpanScores(evaluator, [aScore(now)])).toEqual([])
  expect(pauses).toEqual([200, 500])
})

test('an invalid score is rejected', async () => {
  const invalid = new Problem('invalid_body', { detail: '/name is required.' })
  expect((await push([aScore(now)], invalid)).rejected).toMatchObject([{ fault: 'invalid_body' }])
})

test('a database that is unavailable rejects the request', async () => {
  const unavailable = new Problem('store_unavailable', { detail: 'No.' })
  await expect(push([aScore(now)], unavailable)).rejects.toBe(unavailable)
})
