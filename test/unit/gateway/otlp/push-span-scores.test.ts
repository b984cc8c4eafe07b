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

/** Pushes scores of which each gets this result. Returns the sizes of the transactions, too. */
async function push(scores: readonly SpanScore[], result: PushedResult['result'], who = evaluator) {
  const sizes: number[] = []
  const pushSpanScores = createPushSpanScores({
    pushScores: (_who, some) => {
      sizes.push(some.length)
      return Promise.resolve(some.map(({ id }) => ({ id, result })))
    },
    clock: { now: () => now }
  })
  return { rejected: await pushSpanScores(who, scores), sizes }
}

const missing = (retryable: boolean) =>
  new Problem('decision_not_found', { detail: 'No decision.', members: { retryable } })

test('many scores are stored in several transactions', async () => {
  const scores = Array.from({ length: 1201 }, () => aScore(now))
  expect(await push(scores, null)).toEqual({ rejected: [], sizes: [500, 500, 201] })
})

test('a key without the scope cannot push scores', async () => {
  const { rejected, sizes } = await push([aScore(now)], null, principal as typeof evaluator)
  expect(rejected).toMatchObject([{ where: '4bf9:00f0', fault: 'scope_missing' }])
  expect([sizes, (await push([], null, principal as typeof evaluator)).rejected]).toEqual([[], []])
})

test.each([
  ['is new', now - 9000, missing(false)],
  ['is new by a clock that is ahead', now + 9000, missing(false)],
  ['waits for storage', now - 60_000, missing(true)]
])('a score without decision that %s gets 503', async (_what, at, problem) => {
  await expect(push([aScore(at)], problem)).rejects.toMatchObject({
    code: 'overloaded',
    options: { headers: { 'retry-after': '2' } }
  })
})

test('other scores without decision, and invalid ones, are rejected', async () => {
  const old = aScore(now - 10_000)
  expect((await push([old], missing(false))).rejected).toMatchObject([
    { fault: 'decision_not_found', reason: 'No decision.' }
  ])
  const invalid = new Problem('invalid_body', { detail: '/name is required.' })
  expect((await push([aScore(now)], invalid)).rejected).toMatchObject([{ fault: 'invalid_body' }])
})
