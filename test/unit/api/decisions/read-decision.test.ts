/** One decision: its texts untouched, its waiting, and what is answered when it is not there. */
import { expect, test } from '@jest/globals'
import { createReadDecision } from '../../../../api/decisions/read-decision.ts'
import { createReadEvaluations } from '../../../../api/read-evaluations.ts'
import { checkedCallOf, clock, createEagerPoll, decisionId } from '../fakes.ts'
import { FakeStore, now, person, problemOf } from '../fakes.ts'
import { decisionRow, runRow, scoredRunRow } from '../samples.ts'

function createScene(readsMax = 1) {
  const store = new FakeStore()
  const readDecision = createReadDecision({
    store,
    poll: createEagerPoll(readsMax),
    readEvaluations: createReadEvaluations(),
    decisionsTopic: 'agent-decisions',
    clock
  })
  const read = (id = decisionId, query: object = {}, of = person) =>
    readDecision(
      checkedCallOf(of, {
        params: { decision_id: id },
        query: { wait: 0, until: 'stored', ...query }
      })
    )
  return { store, read }
}

function storeDecision(store: FakeStore, members: object = {}): void {
  store.rows['decisions'] = [{ ...decisionRow, ...members }]
}

test('answers every field, null where nothing was sent', async () => {
  const { store, read } = createScene()
  storeDecision(store)
  const reply = await read()
  expect(reply.status).toBe(200)
  expect(JSON.parse(reply.body)).toEqual({
    decision_id: decisionId,
    received_at: '2026-01-31T12:00:00.000Z',
    stored_at: '2026-01-31T12:00:00.070Z',
    input: { n: 1 },
    output: 'fine',
    agent_id: 'refund-agent',
    session_id: null,
    domain: null,
    metadata: null,
    input_tokens: 31,
    output_tokens: null,
    sdk_version: null,
    evaluation: { status: 'pending', verdict: 'none', scores: {} }
  })
})

test('puts texts in as they are: digits, escapes, order and white space', async () => {
  const { store, read } = createScene()
  const input =
    '{"n":12345678901234567890, "z":"\\u0000","__proto__":{"a":1},\n "e":1e400,"b":1,"a":2}'
  const output = '"\\ud83d\\udd11 \\u0000 \\"…\\""'
  const metadata = '{"__proto__":-0.0,"1":1,"0":1.0}'
  storeDecision(store, { input, output, metadata })
  const { body } = await read()
  expect(body).toContain(`"input":${input},"output":${output},`)
  expect(body).toContain(`"metadata":${metadata},`)
  expect(() => JSON.parse(body) as unknown).not.toThrow()
})

test('shows scores by name, the later evaluated first, and what they say together', async () => {
  const { store, read } = createScene()
  storeDecision(store)
  const later = { run_id: 'b', evaluator: 'other', evaluated_at: new Date(now + 900) }
  store.rows['evaluation_runs'] = [
    scoredRunRow('a', true, later),
    scoredRunRow('a', false),
    scoredRunRow('__proto__', true, { run_id: 'c', evaluator: 'third' })
  ]
  const { body } = await read()
  const { evaluation } = JSON.parse(body) as { evaluation: { scores: Record<string, object> } }
  expect(evaluation).toMatchObject({ status: 'evaluated', verdict: 'pass' })
  expect(Object.keys(evaluation.scores).sort()).toEqual(['__proto__', 'a'])
  expect(evaluation.scores['a']).toMatchObject({ run_id: 'b', passed: true, value: 1 })
})

test('takes an id in upper case', async () => {
  const { store, read } = createScene()
  storeDecision(store)
  expect((await read(decisionId.toUpperCase())).status).toBe(200)
  expect(store.asked[0]?.values).toEqual([person.organization_id, decisionId])
})

test('the id of another organization answers exactly as one that does not exist', async () => {
  const { store, read } = createScene()
  storeDecision(store)
  store.rows['storage_progress'] = [{ as_of: new Date(now + 1) }]
  const organization_id = '01938c4e-9999-7000-8000-5b7a9f002f6d'
  const foreign = await problemOf(read(decisionId, {}, { ...person, organization_id }))
  store.rows['decisions'] = []
  const unknown = await problemOf(read())
  expect(foreign.code).toBe('decision_not_found')
  expect(foreign.options).toEqual(unknown.options)
  expect(unknown.options.members).toEqual({
    as_of: '2026-01-31T12:00:00.001Z',
    lag_ms: 0,
    retryable: false
  })
})

test('while storage is behind the request, asking again may help', async () => {
  const { store, read } = createScene()
  store.rows['storage_progress'] = [{ as_of: new Date(now - 2000) }]
  const { options } = await problemOf(read())
  expect(options.headers).toEqual({ 'retry-after': '1' })
  expect(options.members).toMatchObject({ lag_ms: 2000, retryable: true })
})

/** After each read of runs the next thing happens. */
function happenOnReads(store: FakeStore, events: (() => void)[]): void {
  const query = store.query.bind(store)
  store.query = async (statement, values) => {
    const rows = await query(statement, values)
    if (statement.includes('from decisions') || statement.includes('from evaluation_runs')) {
      events.shift()?.()
    }
    return rows as never
  }
}

test('waits until it is stored and reads its texts once', async () => {
  const { store, read } = createScene(10)
  happenOnReads(store, [() => {}, () => {}, () => storeDecision(store)])
  expect((await read(decisionId, { wait: 5 })).status).toBe(200)
  expect(store.asked.map(({ table }) => table)).toEqual([
    ...['decisions', 'decisions', 'decisions', 'decisions', 'evaluation_runs'],
    'evaluation_plans'
  ])
})

test.each([
  ['stored', 'pending'],
  ['first_score', 'evaluating'],
  ['evaluated', 'evaluated']
])('until=%s answers what is %s', async (until, status) => {
  const { store, read } = createScene(10)
  storeDecision(store)
  const waiting = runRow({ status: 'running', run_id: 'b', evaluator: 'slow' })
  const score = scoredRunRow('quick', true)
  happenOnReads(store, [
    () => {},
    () => void (store.rows['evaluation_runs'] = [waiting]),
    () => void (store.rows['evaluation_runs'] = [score, waiting]),
    () => void (store.rows['evaluation_runs'] = [score, { ...waiting, status: 'succeeded' }])
  ])
  const { body } = await read(decisionId, { wait: 5, until })
  expect(JSON.parse(body)).toMatchObject({ evaluation: { status } })
})

test('when the time is over it answers what there is', async () => {
  const { store, read } = createScene(3)
  storeDecision(store)
  const { status, body } = await read(decisionId, { wait: 5, until: 'evaluated' })
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ evaluation: { status: 'pending' } })
})
