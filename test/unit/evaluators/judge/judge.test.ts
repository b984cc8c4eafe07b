/** Tests the judge over real sockets: findings, unusable replies, usage and cost. */
import { describe, expect, test } from '@jest/globals'
import { judge } from '../../../../evaluators/judge/judge.ts'
import type { Judgement } from '../../../../evaluators/judge/judge.ts'
import { aDecision } from '../../../support/builders.ts'
import type { Behaviour, BehaviourName } from '../../../support/judge-behaviours.ts'
import { aJudge, choice, startJudge } from '../../../support/judges.ts'
import type { StartedJudge } from '../../../support/judges.ts'

const decision = aDecision()
const version = aJudge()
const labelled = aJudge({ scale: choice }, { pass: ['compliant'] })

async function judged(
  behaviour: BehaviourName | Behaviour,
  by = version
): Promise<Judgement & StartedJudge> {
  const started = await startJudge()
  started.server.behave(behaviour)
  const judgement = await judge(by, decision, { client: started.client, run_id: 'run-1' })
  return { ...judgement, ...started }
}

const reason = 'The answer fits the question.'

test('returns the grade of a rubric with reasoning, usage and cost', async () => {
  const { client, server, ...judgement } = await judged({ grade: 4 })
  const input_tokens = JSON.stringify(server.calls[0]?.body.messages).length
  expect(judgement).toEqual({
    outcome: {
      kind: 'finding',
      data_type: 'numeric',
      value: 4,
      label: null,
      passed: null,
      reason
    },
    usage: { input_tokens, output_tokens: 40 },
    cost_nano_usd: input_tokens * 150 + 40 * 600,
    model: 'grader',
    model_reported: 'grader-2026-01-01',
    latency_ms: expect.any(Number),
    reply: expect.stringContaining('"score":4'),
    calls: 1
  })
  expect(client.models).toHaveLength(1)
  expect(server.callsOf('run-1')).toBe(1)
})

test.each([
  ['compliant', 1, true],
  ['partly', 0.5, false],
  ['violation', 0, false]
])('returns a label and its value: %s', async (grade, value, passed) => {
  const { outcome } = await judged({ grade }, labelled)
  expect(outcome).toEqual({
    kind: 'finding',
    data_type: 'categorical',
    value,
    label: grade,
    passed,
    reason
  })
})

test.each([
  [3.5, { threshold: 3.5 }, true],
  [3.4, { threshold: 3.5 }, false],
  [3.5, { threshold: 3.5, direction: 'lower' }, true],
  [3.6, { threshold: 3.5, direction: 'lower' }, false],
  [5, {}, null]
] as const)('applies the score definition to %d: %j', async (grade, output, passed) => {
  expect((await judged({ grade }, aJudge({}, output))).outcome).toMatchObject({ passed })
})

describe('a reply that is not plain JSON', () => {
  test.each(['markdown', 'thinking'] as const)('is accepted: %s', async (behaviour) => {
    const { outcome, calls } = await judged(behaviour)
    expect([outcome.kind, calls]).toEqual(['finding', 1])
  })

  test('is requested again with twice the tokens if it is cut off', async () => {
    const { outcome, calls, server, usage } = await judged('truncated')
    expect([outcome.kind, calls]).toEqual(['finding', 2])
    expect(server.calls.map(({ body }) => body.max_tokens)).toEqual([1024, 2048])
    expect(server.calls[1]?.body.messages).toEqual(server.calls[0]?.body.messages)
    expect(usage.output_tokens).toBe(80)
  })

  test('is repaired on request if it is prose', async () => {
    const started = await startJudge()
    started.server.script('prose')
    const { outcome, calls } = await judge(version, decision, { client: started.client })
    expect([outcome.kind, calls]).toEqual(['finding', 2])
    expect(started.server.calls[1]?.body.messages.slice(2)).toEqual([
      { role: 'assistant', content: 'I would give it four out of five.' },
      {
        role: 'user',
        content: 'Your reply is not a JSON object. Reply again, with the JSON object alone.'
      }
    ])
  })
})

describe('fails a reply without a score', () => {
  const spoilt = (change: object): Behaviour => ({
    wrap: (json) => JSON.stringify({ ...(JSON.parse(json) as object), ...change })
  })
  const cases: [string, BehaviourName | Behaviour, string, string, number][] = [
    ['prose', 'prose', 'invalid_result', 'the reply is not a JSON object', 2],
    ['a list', { wrap: () => '[1]' }, 'invalid_result', 'the reply is not a JSON object', 2],
    ['nothing', { wrap: () => '' }, 'invalid_result', 'the reply is not a JSON object', 2],
    ['cut off', 'always_truncated', 'invalid_result', 'the reply is not a JSON object', 2],
    ['text', spoilt({ score: '4' }), 'invalid_result', 'the reply has no number "score"', 2],
    ['none', spoilt({ score: null }), 'invalid_result', 'the reply has no number "score"', 2],
    [
      'no reasoning',
      spoilt({ reasoning: 5 }),
      'invalid_result',
      'the reply has no string "reasoning"',
      2
    ],
    ['another nonce', 'wrong_nonce', 'invalid_result', 'the reply does not contain the nonce', 1],
    [
      'no nonce',
      spoilt({ nonce: undefined }),
      'invalid_result',
      'the reply does not contain the nonce',
      1
    ],
    ['too high', 'out_of_range', 'out_of_range', 'the score is not between 1 and 5', 1],
    ['too low', { grade: 0.99 }, 'out_of_range', 'the score is not between 1 and 5', 1],
    ['refusal', 'refusal', 'judge_refused', 'the judge refused to grade', 1],
    [
      'filter',
      'filtered_reply',
      'judge_refused',
      "the provider's content filter cut off the reply",
      1
    ]
  ]
  test.each(cases)('%s', async (_, behaviour, status_reason, message, calls) => {
    const judgement = await judged(behaviour)
    const permanent = { retryable: false, blocks: false, retryAfterMs: null, http_status: null }
    expect(judgement.outcome).toEqual({ kind: 'failure', status_reason, ...permanent, message })
    expect(judgement.calls).toBe(calls)
    // Even an unusable response has a cost.
    expect(judgement.cost_nano_usd).toBeGreaterThan(0)
  })

  test.each(['splendid', '__proto__', 'toString', 'Compliant', ''])(
    'rejects label %j, which is not on the scale',
    async (grade) => {
      const { outcome } = await judged({ grade }, labelled)
      expect(outcome).toMatchObject({ kind: 'failure', status_reason: 'unknown_label' })
    }
  )
})

describe('fails a call without a response', () => {
  test.each([
    ['overloaded', 'provider_error', true, false, 2000],
    ['unauthorized', 'provider_auth', true, true, null],
    ['too_long', 'content_too_large', false, false, null]
  ] as const)('%s', async (behaviour, status_reason, retryable, blocks, retryAfterMs) => {
    const judgement = await judged(behaviour)
    expect(judgement.outcome).toMatchObject({
      kind: 'failure',
      status_reason,
      retryable,
      blocks,
      retryAfterMs
    })
    expect(judgement).toMatchObject({
      usage: { input_tokens: null, output_tokens: null },
      cost_nano_usd: null,
      reply: null,
      calls: 1
    })
  })

  test('keeps the usage of the first reply if the repair request gets no response', async () => {
    const { server, client } = await startJudge()
    server.script('prose', 'server_error')
    const judgement = await judge(version, decision, { client })
    expect(judgement.outcome).toMatchObject({ status_reason: 'provider_error', retryable: true })
    expect(judgement).toMatchObject({ usage: { output_tokens: 40 }, calls: 2 })
    expect(judgement.cost_nano_usd).toBeGreaterThan(0)
  })

  test('limits all calls together to the timeout', async () => {
    const { server, client } = await startJudge()
    server.script('prose', 'slow')
    const hurried = { ...version, timeout_ms: 200 }
    const { outcome, calls } = await judge(hurried, decision, { client })
    expect(outcome).toMatchObject({ status_reason: 'timeout', retryable: true })
    expect(calls).toBe(2)
  })

  test("throws the reason of the caller's signal", async () => {
    const { client } = await startJudge()
    const signal = AbortSignal.abort(new Error('shutting down'))
    await expect(judge(version, decision, { client, signal })).rejects.toBe(signal.reason)
  })
})

describe('skips a decision without a call if a variable is missing or too long', () => {
  test.each([
    ['{{reference}}', 'content_missing', {}],
    ['{{metadata.tier}}', 'content_missing', {}],
    ['{{domain}}', 'content_missing', { domain: null }],
    ['{{output}}', 'content_too_large', { output: 'x'.repeat(200_001) }]
  ])('%s: %s', async (prompt, status_reason, change) => {
    const { server, client } = await startJudge()
    const judgement = await judge(aJudge({ prompt }), { ...decision, ...change }, { client })
    expect(judgement.outcome).toEqual({ kind: 'skipped', status_reason })
    expect(judgement).toMatchObject({ calls: 0, cost_nano_usd: null })
    expect(server.calls).toHaveLength(0)
  })
})

test('reports an unknown cost without a price or usage', async () => {
  expect((await judged('good', aJudge({ model: 'unpriced' }))).cost_nano_usd).toBeNull()
  expect((await judged('without_usage')).cost_nano_usd).toBeNull()
})

test('makes every reply storable in Postgres', async () => {
  const wrap = (json: string): string =>
    JSON.stringify({
      ...(JSON.parse(json) as object),
      reasoning: `a\u0000b\ud800${'x'.repeat(5000)}`
    })
  const { outcome, reply } = await judged({ wrap })
  expect(outcome.kind === 'finding' && outcome.reason).toBe(`ab\ufffd${'x'.repeat(1996)}`)
  expect(reply).not.toMatch(/\u0000/)
})

test('uses the temperature and max_tokens of the evaluator', async () => {
  const { server } = await judged('good', aJudge({ temperature: 0.5, max_tokens: 300 }))
  expect(server.calls[0]?.body).toMatchObject({ temperature: 0.5, max_tokens: 300 })
})
