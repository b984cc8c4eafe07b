/** Storage carries out what was asked to be erased: without a command, and after a kill. */
import { beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { beginErasure } from '../../../store/erasure/erasure-table.ts'
import type { Erasure } from '../../../store/erasure/erasure-table.ts'
import { aDecision, aRun, anEvaluation } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { hoursDiffer } from '../../support/hours-differ.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

/** As a gateway does: the rule is written down, and that is all. */
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

test('nobody has to start it, and what comes later is erased as well', async () => {
  const storage = await startStorage()
  const { organization_id } = await scene.sluice.createTenant()
  const doomed = sessionOf(organization_id, 3)
  const kept = aDecision({ organization_id, session_id: 't', received_at: Date.now() })
  const [late] = sessionOf(organization_id, 1)
  await scene.sendDecisions(...doomed, kept)
  await scene.sendEvaluations(
    ...doomed.map((each) => anEvaluation({ ...each, later_runs: [aRun()] }))
  )
  await scene.settled()
  const erasure = await ask({ organization_id, scope: 'session', subject: 's' })
  expect(await finished(erasure)).toMatchObject({ decisions: 3, evaluation_runs: 3, scores: 3 })
  if (late !== undefined) await scene.sendDecisions(late)
  await scene.settled()
  expect(await scene.storedIds(organization_id)).toEqual([kept.decision_id])
  expect(await hoursDiffer(scene.sluice.database)).toEqual([])
  await storage.stop()
})

test('storage that is killed in the middle leaves the rest to the next one', async () => {
  const storage = await startStorage()
  const { organization_id } = await scene.sluice.createTenant()
  const doomed = sessionOf(organization_id, 1100)
  await scene.sendDecisions(...doomed)
  await scene.settled()
  // It comes as far as the third transaction, and no further.
  const client = new pg.Client({ connectionString: scene.sluice.database.url })
  await client.connect()
  onEnd(() => client.end())
  await client.query('begin')
  const last = doomed.at(-1)?.decision_id
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
  expect(await hoursDiffer(scene.sluice.database)).toEqual([])
  for (const instance of instances) await instance.stop()
}, 180_000)
