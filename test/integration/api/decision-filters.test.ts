/** Tests the filters of GET /v1/decisions and of the search against a reference filter in
 * JavaScript.
 */
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ScoreCondition } from '../../../api/decisions/filters.ts'
import { createScene } from './scene.ts'
import type { Answer, Scene } from './scene.ts'
import { aStoredDecision, storeAll } from './stored-decisions.ts'
import type { StoredDecision, StoredOutcome } from './stored-decisions.ts'

interface Page {
  readonly data: { readonly decision_id: string }[]
  readonly meta: { next_cursor: string | null; applied: Record<string, unknown>; count?: object }
}

interface Query {
  readonly agent_id?: string | undefined
  readonly session_id?: string | undefined
  readonly has_session?: boolean | undefined
  readonly domain?: string[] | undefined
  readonly status?: string[] | undefined
  readonly verdict?: string[] | undefined
  readonly score?: ScoreCondition[] | undefined
  readonly metadata?: Record<string, string> | undefined
  readonly model?: string | undefined
  readonly trace_id?: string | undefined
  readonly parent_decision_id?: string | undefined
  readonly root?: boolean | undefined
  readonly kind?: string | undefined
  readonly is_error?: boolean | undefined
  readonly min_total_tokens?: number | undefined
  readonly max_latency_ms?: number | undefined
  readonly q?: string | undefined
  readonly sort?: string | undefined
}

let scene: Scene
let decisions: StoredDecision[]
const from = '2026-01-01T00:00:00Z'
const to = '2026-02-01T00:00:00Z'
const agents = ['a', `'; drop table decisions; --`, '100%', 'under_score', 'ü"\\']
const domains = ['refunds', '%', '_']
const names = ['quality', 'a:b', `it's`, '__proto__', '%']
const parents = ['5a1d6d1c-8f0e-5d7a-9a53-0c8f7f3b2e11', '5a1d6d1c-8f0e-5d7a-9a53-0c8f7f3b2e12']
const words = ['May', 'zürich', '"quoted"', 'back\\slash', '100%']

function oneOf<T>(values: readonly T[], seed: number): T {
  return values[seed % values.length] as T
}

function placeOf(index: number) {
  const at = Date.UTC(2026, 0, 5) + (index % 12) * 20_000_000
  const micros = String(index % 3).padStart(3, '0')
  return {
    received_at: new Date(at).toISOString().replace('Z', `${micros}Z`),
    agent_id: index % 11 === 0 ? null : oneOf(agents, index),
    session_id: index % 3 === 0 ? null : `s${index % 4}`,
    domain: index % 5 === 0 ? null : oneOf(domains, index)
  }
}

function outcomeOf(seed: number) {
  const value = seed % 4 === 0 ? null : (seed % 10) / 10
  const label = seed % 5 === 0 ? oneOf(['good', '0.5', 'true'], seed) : null
  const passed = oneOf([true, false, null], seed)
  return {
    status: oneOf(['evaluated', 'partial', 'failed', 'evaluating', 'pending'], seed),
    verdict: oneOf(['pass', 'fail', 'mixed', 'none'], seed),
    scores: Object.fromEntries([[oneOf(names, seed), { value, label, passed }]])
  }
}

/** Builds a decision from its index without randomness, so that failures can be reproduced. */
function decisionOf(index: number): StoredDecision {
  const seed = (index * 7919) % 1009
  const metadata = { tier: oneOf(['gold', 'a=b', ''], seed), [oneOf(names, seed)]: 'x' }
  return aStoredDecision({
    ...placeOf(index),
    input: JSON.stringify({ text: oneOf(words, index), n: index }),
    output: JSON.stringify(oneOf(words, seed)),
    metadata: JSON.stringify(metadata),
    labels: Object.entries(metadata).map(([name, text]) => `${name}=${text}`),
    model: index % 7 === 0 ? null : oneOf(['small-1', 'big'], index),
    trace_id: oneOf([null, 't1', `'"%`], index),
    parent_decision_id: oneOf([null, ...parents], seed),
    kind: oneOf([null, 'agent', 'generation'], seed + index),
    is_error: oneOf([true, false, null], index),
    latency_ms: index % 4 === 0 ? null : seed / 3,
    input_tokens: index % 6 === 0 ? null : seed,
    output_tokens: index % 9 === 0 ? null : index,
    outcome: index % 4 === 1 ? null : outcomeOf(seed),
    runs: oneOf([null, 0, 2], index)
  })
}

beforeAll(async () => {
  scene = await createScene()
  decisions = Array.from({ length: 300 }, (_, index) => decisionOf(index))
  for (let day = 5; day < 9; day++) {
    const date = `2026-01-0${day}`
    await scene.database.query(`select ensure_day_partition('decisions', $1::date)`, [date])
  }
  await storeAll(scene.database, scene.organizationId, decisions)
})

function totalOf({ input_tokens, output_tokens }: StoredDecision): number | null {
  return input_tokens === null && output_tokens === null
    ? null
    : (input_tokens ?? 0) + (output_tokens ?? 0)
}

function holds({ outcome }: StoredDecision, { name, op, value }: ScoreCondition): boolean {
  const score = outcome !== null && Object.hasOwn(outcome.scores, name) && outcome.scores[name]
  if (!score) return false
  if (op === 'exists') return true
  if (op === 'passed' || op === 'failed') return score.passed === (op === 'passed')
  if (op === 'eq' || op === 'ne') return isEqual(score, value) === (op === 'eq')
  const sign = score.value === null ? Number.NaN : Math.sign(score.value - Number(value))
  return { lt: [-1], le: [-1, 0], gt: [1], ge: [0, 1] }[op].includes(sign)
}

type StoredScore = StoredOutcome['scores'][string]

function isEqual({ value, label }: StoredScore, asked: ScoreCondition['value']): boolean {
  return label === String(asked) || (typeof asked !== 'string' && value === Number(asked))
}

function statusOf({ outcome, runs }: StoredDecision): string {
  return outcome?.status ?? (runs === 0 ? 'not_evaluated' : 'pending')
}

function occurs({ input, output, metadata }: StoredDecision, q: string): boolean {
  const text = [input, output, metadata].join('\n').toLowerCase()
  return q.split(' ').every((word) => {
    const lower = word.toLowerCase()
    return text.includes(lower) || text.includes(JSON.stringify(lower).slice(1, -1))
  })
}

/** Reference implementations of the filters, by filter name. */
const tests: { [name in keyof Query]: (of: StoredDecision, asked: never) => boolean } = {
  agent_id: (of, asked) => (of.agent_id ?? '_unattributed') === asked,
  session_id: (of, asked) => of.session_id === asked,
  has_session: ({ session_id }, asked) => (session_id !== null) === asked,
  domain: ({ domain }, asked: string[]) => domain !== null && asked.includes(domain),
  status: (of, asked: string[]) => asked.includes(statusOf(of)),
  verdict: ({ outcome }, asked: string[]) => asked.includes(outcome?.verdict ?? 'none'),
  score: (of, asked: ScoreCondition[]) => asked.every((condition) => holds(of, condition)),
  metadata: ({ labels }, asked: Record<string, string>) =>
    Object.entries(asked).every(([name, text]) => labels.includes(`${name}=${text}`)),
  model: (of, asked) => of.model === asked,
  trace_id: (of, asked) => of.trace_id === asked,
  parent_decision_id: (of, asked: string) => of.parent_decision_id === asked.toLowerCase(),
  root: ({ parent_decision_id }, asked) => (parent_decision_id === null) === asked,
  kind: (of, asked) => of.kind === asked,
  is_error: (of, asked) => of.is_error === asked,
  min_total_tokens: (of, asked) => (totalOf(of) ?? -1) >= asked,
  max_latency_ms: ({ latency_ms }, asked) => latency_ms !== null && latency_ms <= asked,
  q: (of, asked) => occurs(of, asked)
}

function valueOf(decision: StoredDecision, field: string): number | string | null {
  if (field === 'received_at') return decision.received_at
  if (field === 'total_tokens') return totalOf(decision)
  if (field === 'latency_ms') return decision.latency_ms
  const scores = decision.outcome?.scores ?? {}
  const name = field.slice('score:'.length)
  return Object.hasOwn(scores, name) ? (scores[name]?.value ?? null) : null
}

/** Returns the comparator for a sort order. Ties are sorted newest first, and null comes last. */
function inOrder(sort: string) {
  const sign = sort.startsWith('-') ? -1 : 1
  const field = sort.replace(/^-/, '')
  const key = ({ received_at, decision_id }: StoredDecision) => `${received_at} ${decision_id}`
  return (left: StoredDecision, right: StoredDecision): number => {
    const [a, b] = [valueOf(left, field), valueOf(right, field)]
    const newest = key(left) < key(right) ? 1 : -1
    if (field === 'received_at') return -sign * newest
    if (a === b) return newest
    if (a === null || b === null) return a === null ? 1 : -1
    return sign * (a < b ? -1 : 1)
  }
}

function expectedOf({ sort = '-received_at', ...filters }: Query): string[] {
  const asked = Object.entries(filters).filter(([, value]) => value !== undefined)
  const passes = (decision: StoredDecision): boolean =>
    asked.every(([name, value]) => tests[name as keyof typeof tests]?.(decision, value as never))
  return decisions
    .filter(passes)
    .toSorted(inOrder(sort))
    .map(({ decision_id }) => decision_id)
}

/** Reads all pages of a search and returns the ids. */
async function walk(query: Query, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = null, page = 0; page < 400; page++) {
    const body = { ...query, from, to, limit, ...(cursor !== null && { cursor }) }
    const answer: Answer<Page> = await scene.post<Page>('/v1/decisions/search', body, scene.token)
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)])
    ids.push(...answer.body.data.map(({ decision_id }) => decision_id))
    cursor = answer.body.meta.next_cursor
    if (cursor === null) return ids
  }
  throw new Error('the list does not end')
}

/**
 * Generates undefined six times out of seven, because hardly any decision matches many filters at
 * once.
 */
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const someOf = (...values: string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
const comparison = fc.record({
  name: fc.constantFrom(...names),
  op: fc.constantFrom('lt' as const, 'le' as const, 'gt' as const, 'ge' as const),
  value: fc.constantFrom(0, 0.3, 0.5, 0.9)
})
const equality = fc.record({
  name: fc.constantFrom(...names),
  op: fc.constantFrom('eq' as const, 'ne' as const),
  value: fc.constantFrom(0.5, 'good', '0.5', true, false)
})
const assertion = fc.record({
  name: fc.constantFrom(...names),
  op: fc.constantFrom('passed' as const, 'failed' as const, 'exists' as const)
})
const anyQuery: fc.Arbitrary<Query> = fc.record({
  agent_id: maybe(fc.constantFrom(...agents, '_unattributed', 'nobody')),
  session_id: maybe(fc.constantFrom('s0', 's1', 's_', '%')),
  has_session: maybe(fc.boolean()),
  domain: maybe(someOf(...domains, 'other')),
  status: maybe(someOf('evaluated', 'partial', 'failed', 'pending', 'not_evaluated')),
  verdict: maybe(someOf('pass', 'fail', 'mixed', 'none')),
  score: maybe(fc.array(fc.oneof(comparison, equality, assertion), { minLength: 1, maxLength: 2 })),
  metadata: maybe(fc.constantFrom({ tier: 'gold' }, { tier: '', '%': 'x' }, { tier: 'a=b' })),
  model: maybe(fc.constantFrom('small-1', 'small_1', '%')),
  trace_id: maybe(fc.constantFrom('t1', `'"%`, 't')),
  parent_decision_id: maybe(fc.constantFrom(...parents)),
  root: maybe(fc.boolean()),
  kind: maybe(fc.constantFrom('agent', 'generation')),
  is_error: maybe(fc.boolean()),
  min_total_tokens: maybe(fc.integer({ min: 0, max: 1000 })),
  max_latency_ms: maybe(fc.integer({ min: 0, max: 300 })),
  q: maybe(fc.constantFrom('may', 'ZÜRICH', '"quoted"', 'back\\slash 100%', '%')),
  sort: maybe(
    fc.constantFrom('received_at', '-total_tokens', 'latency_ms', '-score:a:b', 'score:%')
  )
})

const runs = 150
const pagesMax = 10

test('lists exactly the matching decisions in order, over all pages', async () => {
  let matching = 0
  await fc.assert(
    fc.asyncProperty(anyQuery, fc.integer({ min: 1, max: 60 }), async (query, least) => {
      const expected = expectedOf(query)
      if (expected.length > 0) matching += 1
      const limit = Math.max(least, Math.ceil(expected.length / pagesMax))
      expect(await walk(query, limit)).toEqual(expected)
    }),
    { numRuns: runs }
  )
  // Comparing empty lists would prove nothing.
  expect(matching).toBeGreaterThan(runs / 3)
})

/** Queries with few filters each, so that most of them match some decisions. */
const single: Query[] = [
  {},
  ...agents.map((agent_id) => ({ agent_id })),
  ...['_unattributed', 'nobody'].map((agent_id) => ({ agent_id })),
  ...[true, false].map((has_session) => ({ has_session })),
  ...['t1', `'"%`].map((trace_id) => ({ trace_id })),
  { trace_id: 't1', parent_decision_id: String(parents[0]).toUpperCase() },
  ...[true, false].map((root) => ({ root, kind: 'agent' })),
  ...domains.map((domain) => ({ domain: [domain] })),
  ...['pending', 'not_evaluated', 'evaluated', 'failed'].map((status) => ({ status: [status] })),
  ...['pass', 'fail', 'none'].map((verdict) => ({ verdict: [verdict] })),
  { verdict: ['fail', 'mixed'], agent_id: 'a', score: [{ name: 'quality', op: 'exists' }] },
  { verdict: ['fail'], sort: '-score:quality' },
  { verdict: ['fail'], sort: '-total_tokens' },
  ...names.map((name) => ({ score: [{ name, op: 'ne' as const, value: 0.5 }] })),
  ...words.map((q) => ({ q }))
]

test.each(single)('filter %j', async (query) => {
  const expected = expectedOf(query)
  expect(expected.length > 0).toBe(query.agent_id !== 'nobody')
  expect(await walk(query, 7)).toEqual(expected)
})

test('treats a query string like an equivalent body', async () => {
  const pairs: [string, Query][] = [
    ['domain=refunds&domain=%25', { domain: ['refunds', '%'] }],
    [
      'verdict=fail&verdict=mixed&status=partial',
      { verdict: ['fail', 'mixed'], status: ['partial'] }
    ],
    ['score=a:b:ge:0.5', { score: [{ name: 'a:b', op: 'ge', value: 0.5 }] }],
    ['score=a:b:passed&score=a:b:exists', { score: [{ name: 'a:b', op: 'passed' }] }],
    ['metadata.tier=gold&metadata.%25=x', { metadata: { tier: 'gold', '%': 'x' } }],
    ['is_error=true&min_total_tokens=300', { is_error: true, min_total_tokens: 300 }],
    [
      `trace_id=t1&parent_decision_id=${parents[0]}`,
      { trace_id: 't1', parent_decision_id: parents[0] }
    ],
    ['root=true&kind=agent', { root: true, kind: 'agent' }],
    ['has_session=false', { has_session: false }],
    ['q=may+text&sort=-latency_ms', { q: 'may text', sort: '-latency_ms' }]
  ]
  for (const [text, query] of pairs) {
    const path = `/v1/decisions?from=${from}&to=${to}&limit=200&${text}`
    const { status, body } = await scene.get<Page>(path)
    expect([status, body.data.map(({ decision_id }) => decision_id)]).toEqual([
      200,
      expectedOf(query).slice(0, 200)
    ])
    expect(body.meta.applied).toMatchObject({ from: '2026-01-01T00:00:00.000Z' })
  }
})

test('finds a failed decision whose evaluation has the time of a retried copy', async () => {
  const scores = { quality: { value: 0, label: null, passed: false } }
  const outcome = { status: 'evaluated', verdict: 'fail', scores }
  const retried = aStoredDecision({ received_at: '2026-01-20T23:59:59.900000Z', outcome })
  await storeAll(scene.database, scene.organizationId, [retried])
  await scene.database.query(
    `update evaluations set received_at = '2026-01-21T00:00:01Z' where decision_id = $1`,
    [retried.decision_id]
  )
  const path = '/v1/decisions?from=2026-01-20T00:00:00Z&to=2026-01-22T00:00:00Z&verdict=fail'
  const { body } = await scene.get<Page>(`${path}&include=input`)
  expect(body.data).toMatchObject([{ decision_id: retried.decision_id, input: {} }])
  const exported = await scene.get(path.replace('?', '/export?'))
  expect(exported.text).toContain(retried.decision_id)
})

test('continues at the cursor, even if decisions are stored in between', async () => {
  const query = `from=${from}&to=${to}&limit=10&agent_id=inserting`
  const dated = (second: number) =>
    aStoredDecision({
      agent_id: 'inserting',
      received_at: `2026-01-07T00:00:${String(second).padStart(2, '0')}.000000Z`
    })
  const first = Array.from({ length: 25 }, (_, index) => dated(2 * index))
  await storeAll(scene.database, scene.organizationId, first)
  const seen: string[] = []
  let cursor = ''
  for (let page = 0; page < 3; page++) {
    const { body } = await scene.get<Page>(`/v1/decisions?${query}${cursor}`)
    seen.push(...body.data.map(({ decision_id }) => decision_id))
    cursor = `&cursor=${body.meta.next_cursor}`
    await storeAll(scene.database, scene.organizationId, [dated(59), dated(57 - page)])
  }
  const ids = first.map(({ decision_id }) => decision_id)
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.filter((id) => ids.includes(id))).toEqual(ids.toReversed())
})
