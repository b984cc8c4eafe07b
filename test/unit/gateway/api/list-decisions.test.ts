/** The list: summaries, pages, and cursors that belong to their filters. */
import { expect, test } from '@jest/globals'
import { createListDecisions } from '../../../../gateway/api/list-decisions.ts'
import { createReadEvaluations } from '../../../../gateway/api/read-evaluations.ts'
import { checkedCallOf, clock, decisionId, FakeStore, now, person, problemOf } from './fakes.ts'
import { decisionRow, scoredRunRow } from './samples.ts'

interface Page {
  data: Record<string, unknown>[]
  meta: { next_cursor: string | null; limit: number; as_of: string | null; lag_ms: number | null }
}

function createScene() {
  const store = new FakeStore()
  const listDecisions = createListDecisions({
    store,
    readEvaluations: createReadEvaluations(),
    decisionsTopic: 'agent-decisions',
    clock
  })
  const list = async (query: object = {}) => {
    const call = checkedCallOf(person, { query: { limit: 50, ...query } })
    return JSON.parse((await listDecisions(call)).body) as Page
  }
  return { store, list }
}

test('an empty list has no next page and says how far storage is', async () => {
  const { store, list } = createScene()
  store.rows['storage_progress'] = [{ as_of: new Date(now - 300) }]
  expect(await list()).toEqual({
    data: [],
    meta: { next_cursor: null, limit: 50, as_of: '2026-01-31T11:59:59.700Z', lag_ms: 300 }
  })
})

test('shows summaries with previews and what the evaluation says', async () => {
  const { store, list } = createScene()
  const output_start = JSON.stringify('"x"'.repeat(100))
  store.rows['decisions'] = [{ ...decisionRow, output_start }]
  store.rows['evaluation_runs'] = [scoredRunRow('refusal', false)]
  expect((await list()).data).toEqual([
    {
      decision_id: decisionId,
      received_at: '2026-01-31T12:00:00.000Z',
      stored_at: '2026-01-31T12:00:00.070Z',
      agent_id: 'refund-agent',
      session_id: null,
      domain: null,
      input_tokens: 31,
      output_tokens: null,
      sdk_version: null,
      input_preview: '{"n":1}',
      input_truncated: false,
      output_preview: '"x"'.repeat(80),
      output_truncated: true,
      evaluation: { status: 'evaluated', verdict: 'fail' }
    }
  ])
})

test('a full page names the next one, which begins behind its last row', async () => {
  const { store, list } = createScene()
  const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(8) + decisionId.slice(8))
  store.rows['decisions'] = ids.map((decision_id) => ({ ...decisionRow, decision_id }))
  const first = await list({ limit: 2, agent_id: 'refund-agent' })
  expect(first.data.map((row) => row['decision_id'])).toEqual(ids.slice(0, 2))

  await list({ limit: 7, agent_id: 'refund-agent', cursor: first.meta.next_cursor })
  const asked = store.asked.filter(({ table }) => table === 'decisions')[1]
  expect(asked?.values.slice(-2)).toEqual([decisionRow.sort_key, ids[1]])

  for (const query of [{}, { agent_id: 'other' }, { agent_id: 'refund-agent', domain: 'd' }]) {
    const problem = await problemOf(list({ ...query, cursor: first.meta.next_cursor }))
    expect(problem.code).toBe('invalid_query')
    expect(problem.options.errors?.[0]?.detail).toContain('other filters')
  }
})

test('the last page is full and has no next one', async () => {
  const { store, list } = createScene()
  store.rows['decisions'] = [decisionRow, { ...decisionRow, decision_id: organizationOther }]
  expect((await list({ limit: 2 })).meta.next_cursor).toBeNull()
})

const organizationOther = '01938c4e-9999-7000-8000-5b7a9f002f6d'

test('without a range it is the last seven days', async () => {
  const { store, list } = createScene()
  await list()
  const asked = store.asked.find(({ table }) => table === 'decisions')
  expect(asked?.values).toEqual([person.organization_id, '2026-01-24T12:00:00.000Z'])
})

test.each([
  ['/from', { from: 'yesterday' }],
  ['/to', { to: '2026-02-30T00:00:00Z' }],
  ['/cursor', { cursor: 'garbled' }]
])('names %s when it is wrong', async (pointer, query) => {
  const problem = await problemOf(createScene().list(query))
  expect(problem.code).toBe('invalid_query')
  expect(problem.options.errors?.map((error) => error.pointer)).toEqual([pointer])
})
