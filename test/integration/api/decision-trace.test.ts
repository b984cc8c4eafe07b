/** Tests the trace of a decision, from the metadata that storage reads to the response of the API.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { traceDecisionsMax } from '../../../api/decisions/schemas.ts'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createScene, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

interface Traced {
  readonly decision_id: string
  readonly parent_decision_id: string | null
  readonly name: string | null
  readonly depth: number
}
interface Context {
  readonly before: readonly object[]
  readonly trace: {
    readonly trace_id: string
    readonly decisions: readonly Traced[]
    readonly has_more: boolean
  } | null
}

let scene: Scene
let store: (decisions: readonly Decision[]) => Promise<unknown>
const receivedAt = Date.UTC(2026, 0, 10, 12)
let offset = 0n

beforeAll(async () => {
  scene = await createScene()
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const postgres = createPostgres({ url: scene.database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const storeDecisions = createStoreDecisions({ postgres })
  store = (decisions) => {
    offset += 1n
    const place = { groupId: 'g', topic: 't', partition: 0, nextOffset: offset, epoch: 0 }
    return storeDecisions(decisions, place)
  }
})

/** Builds a decision that is received together with all others. */
function traced(metadata: Readonly<Record<string, unknown>>, fields: Partial<Decision> = {}) {
  return aDecision({
    ...{ organization_id: scene.organizationId, received_at: receivedAt, session_id: null },
    ...{ decision_id: randomUUID(), metadata: JSON.stringify(metadata), ...fields }
  })
}

async function contextOf(decisionId: string): Promise<Context> {
  const { status, body } = await scene.get<Context>(`/v1/decisions/${decisionId}/context`)
  expect(status).toBe(200)
  return body
}

async function treeAt(decisionId: string): Promise<string[]> {
  const { trace } = await contextOf(decisionId)
  return (trace?.decisions ?? []).map(({ name, depth }) => '-'.repeat(depth) + String(name))
}

const at = (second: number) => new Date(receivedAt - 60_000 + second * 1000).toISOString()

test('shows the agent above its calls, which are in the order in which they began', async () => {
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  const agent = traced(
    { trace_id, kind: 'agent', name: 'agent', latency_ms: 9000, occurred_at: at(9) },
    { session_id: 'traced' }
  )
  const child = (name: string, begin: number, latency_ms: number, more: object = {}) => {
    const occurred_at = at(begin + latency_ms / 1000)
    const parent_decision_id = agent.decision_id.toUpperCase()
    const metadata = { trace_id, parent_decision_id, name, latency_ms, occurred_at, ...more }
    return traced(metadata, { input_tokens: 31, output_tokens: 14 })
  }
  const second = child('second', 2, 100, { kind: 'tool' })
  const first = child('first', 1, 5000, { kind: 'generation', model: 'small-1', error: true })
  const part = traced({ trace_id, parent_decision_id: second.decision_id, name: 'part' })
  const orphan = traced({ trace_id, parent_decision_id: randomUUID(), name: 'orphan' })
  const other = traced({ trace_id: 'other', parent_decision_id: agent.decision_id, name: 'other' })
  const foreign = traced({ trace_id, name: 'foreign' }, { organization_id: randomUUID() })
  await store([second, part, orphan, first, other, foreign, agent])
  await storeRun(scene.database, first, aRun({ scores: [aScore({ passed: false })] }))

  const expected = ['agent', '-first', '-second', '--part', 'orphan']
  for (const { decision_id } of [agent, first, orphan]) {
    expect(await treeAt(decision_id)).toEqual(expected)
  }
  const { trace } = await contextOf(part.decision_id)
  expect(trace).toMatchObject({ trace_id, has_more: false })
  expect(trace?.decisions[1]).toEqual({
    ...{ decision_id: first.decision_id, parent_decision_id: agent.decision_id, depth: 1 },
    ...{ kind: 'generation', name: 'first', received_at: new Date(receivedAt).toISOString() },
    ...{ agent_id: first.agent_id, model: 'small-1', latency_ms: 5000, is_error: true },
    ...{ input_tokens: 31, output_tokens: 14 },
    evaluation: { status: 'evaluated', verdict: 'fail' }
  })
  const session = await scene.get<{ data: object[] }>(
    `/v1/decisions/sessions/traced?from=2026-01-01T00:00:00Z`
  )
  expect(session.body.data).toMatchObject([
    { trace_id, parent_decision_id: null, kind: 'agent', name: 'agent' }
  ])
  const { body } = await scene.get(`/v1/decisions/${agent.decision_id}/context`, scene.foreignToken)
  expect(body['code']).toBe('decision_not_found')
})

test('ends at a cycle, and shows a decision without a trace as such', async () => {
  const trace_id = 'cycle'
  const [a, b] = [randomUUID(), randomUUID()]
  const alone = traced({ parent_decision_id: a, name: 'alone', trace_id: 7 })
  await store([
    traced({ trace_id, parent_decision_id: b, name: 'a', occurred_at: at(1) }, { decision_id: a }),
    traced({ trace_id, parent_decision_id: a, name: 'b', occurred_at: at(2) }, { decision_id: b }),
    alone
  ])
  expect(await treeAt(b)).toEqual(['a', '-b'])
  expect((await contextOf(alone.decision_id)).trace).toBeNull()
})

test('shows the newest decisions of a large trace, and always the one that is read', async () => {
  const trace_id = 'large'
  const calls = Array.from({ length: traceDecisionsMax + 9 }, (_, index) =>
    traced({ trace_id, name: `n${index}` }, { received_at: receivedAt + index })
  )
  const distant = traced(
    { trace_id, name: 'distant' },
    { received_at: receivedAt - 8 * 86_400_000 }
  )
  await store([distant, ...calls])
  const [oldest] = calls
  const { trace } = await contextOf(oldest?.decision_id ?? '')
  const names = trace?.decisions.map(({ name }) => name)
  expect([trace?.has_more, names?.length]).toEqual([true, traceDecisionsMax])
  expect([names?.[0], names?.[1], names?.at(-1)]).toEqual(['n0', 'n10', `n${calls.length - 1}`])
  expect(await treeAt(distant.decision_id)).toEqual(['distant'])
})
