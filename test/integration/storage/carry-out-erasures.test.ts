/** Tests that storage carries out recorded erasures without a command, and resumes them after it is
 * killed.
 */
import { beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { beginErasure } from '../../../store/erasure/erasure-table.ts'
import type { Erasure } from '../../../store/erasure/erasure-table.ts'
import { aDecision, aRun, anEvaluation } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

/** Records an erasure in the same way as a gateway, without carrying it out. */
async function ask(erasure: Pick<Erasure, 'organization_id' | 'scope' | 'subject'>) {
  const { url } = scene.sluice.database
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const postgres = createPostgres({ url, applicationName: 'test', ...limits })
  try {
    return await beginErasure(postgres, { ...erasure, requested_by: 'Ana', reason: 'request 17' })
  } finally {
    await postgres.close()
  }
}

function startStorage() {
  return scene.sluice.start('storage', { CONSUMER_SESSION_TIMEOUT_MS: '6000' })
}

async function erasureOf({ erasure_id }: Erasure): Promise<Erasure | undefined> {
  const [row] = await scene.sluice.database.query<Erasure>(
    `select * from erasures where erasure_id = $1`,
    [erasure_id]
  )
  return row
}

async function finished(erasure: Erasure): Promise<Erasure | undefined> {
  await waitUntil('the erasure is finished', async () => {
    return (await erasureOf(erasure))?.finished_at !== null
  })
  return await erasureOf(erasure)
}

function sessionOf(organization_id: string, count: number) {
  const from = Date.now() - 10_000
  return Array.from({ length: count }, (_, at) =>
    aDecision({ organization_id, session_id: 's', received_at: from + at })
  )
}

test('erases without a command, and also decisions that arrive later', async () => {
  const storage = await startStorage()
  const { organization_id } = await scene.sluice.createTenant()
  const candidates = sessionOf(organization_id, 3)
  const kept = aDecision({ organization_id, session_id: 't', received_at: Date.now() })
  const [late] = sessionOf(organization_id, 1)
  await scene.sendDecisions(...candidates, kept)
  await scene.sendEvaluations(
    ...candidates.map((each) => anEvaluation({ ...each, later_runs: [aRun()] }))
  )
  await scene.settled()
  const erasure = await ask({ organization_id, scope: 'session', subject: 's' })
  expect(await finished(erasure)).toMatchObject({ decisions: 3, evaluation_runs: 3, scores: 3 })
  if (late !== undefined) await scene.sendDecisions(late)
  await scene.settled()
  expect(await scene.storedIds(organization_id)).toEqual([kept.decision_id])
  expect(await findSumDifferences(scene.sluice.database)).toEqual([])
  await storage.stop()
})

test('continues the erasure of a killed process', async () => {
  const storage = await startStorage()
  const { organization_id } = await scene.sluice.createTenant()
  const candidates = sessionOf(organization_id, 1100)
  await scene.sendDecisions(...candidates)
  await scene.settled()
  // The lock makes the erasure wait in its third transaction.
  const client = new pg.Client({ connectionString: scene.sluice.database.url })
  await client.connect()
  onEnd(() => client.end())
  await client.query('begin')
  const last = candidates.at(-1)?.decision_id
  await client.query('select from decisions where decision_id = $1 for update', [last])
  const erasure = await ask({ organization_id, scope: 'session', subject: 's' })
  const left = (): Promise<number> => scene.countOf('decisions', organization_id)
  await waitUntil('two transactions are done', async () => (await left()) === 100)
  await storage.kill()
  await client.query('rollback')
  expect(await erasureOf(erasure)).toMatchObject({ decisions: 1000, finished_at: null })

  const instances = [await startStorage(), await startStorage()]
  expect(await finished(erasure)).toMatchObject({ decisions: 1100 })
  expect(await left()).toBe(0)
  expect(await findSumDifferences(scene.sluice.database)).toEqual([])
  for (const instance of instances) await instance.stop()
}, 180_000)
