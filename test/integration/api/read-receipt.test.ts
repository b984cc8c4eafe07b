/** Tests GET /v1/ingest/{decision_id} over HTTP with a real database: stored, awaited and unknown
 * decisions.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { aDecision } from '../../support/builders.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene, storeDecision } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
let url: string
let key: string

beforeAll(async () => {
  scene = await createScene()
  // The ingest routes require these settings, although the test sends nothing to Kafka.
  const log = { KAFKA_BROKERS: '127.0.0.1:1', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' }
  url = await scene.serveAnother({ GATEWAY_ROUTES: 'ingest', ...log })
  key = scene.keyWith('ingest')
})

function ours() {
  return aDecision({ organization_id: scene.organizationId })
}

async function receiptOf(id: string, query = '') {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/v1/ingest/${id}${query}`, { headers })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('returns when a decision was stored, even for an id in upper case', async () => {
  const decision = ours()
  const { decision_id } = decision
  await storeDecision(scene.database, decision)
  const [row] = await scene.database.query<{ stored_at: Date }>(
    'select stored_at from decisions where decision_id = $1',
    [decision_id]
  )
  const { status, body } = await receiptOf(decision_id.toUpperCase())
  const stored_at = row?.stored_at.toISOString()
  expect([status, body]).toEqual([200, { decision_id, state: 'stored', stored_at }])
})

test('waits until the decision is stored', async () => {
  const decision = ours()
  const before = scene.statementTexts.length
  const receipt = receiptOf(decision.decision_id, '?wait=30')
  await waitUntil('the decision is looked up', () => scene.statementTexts.length > before)
  await storeDecision(scene.database, decision)
  expect((await receipt).body).toMatchObject({ state: 'stored' })
})

test('returns the same response for a foreign id as for an unknown id', async () => {
  const foreign = aDecision({ organization_id: randomUUID() })
  await storeDecision(scene.database, foreign)
  const [theirs, unknown] = [await receiptOf(foreign.decision_id), await receiptOf(randomUUID())]
  expect([theirs.status, theirs.body['code']]).toEqual([404, 'decision_not_found'])
  expect({ ...theirs.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
})
