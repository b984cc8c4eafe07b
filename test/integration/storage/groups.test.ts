/** Tests that storage reads each topic in a separate group, so that neither waits for the other. */
import { beforeAll, expect, test } from '@jest/globals'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { aDecision, anEvaluation } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
  await scene.sluice.start('storage')
})

test('stores a decision while evaluations wait for Postgres', async () => {
  const { database, groups } = scene.sluice
  const locker = createPostgres({
    url: database.url,
    applicationName: 'test',
    connectionsMax: 1,
    statementTimeoutMs: 30_000
  })
  onEnd(() => locker.close())
  // The group has a row to lock only after it has stored something.
  await scene.sendEvaluations(anEvaluation())
  await scene.settled()
  const evaluation = anEvaluation()
  const decision = aDecision()
  await locker.transaction(async (transaction) => {
    await transaction.query('select from consumed_offsets where group_id = $1 for update', [
      groups.storageOfEvaluations
    ])
    await scene.sendEvaluations(evaluation)
    await waitUntil('evaluations wait', async () => {
      const rows = await database.query(
        `select 1 from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()
            and query like '%consumed_offsets%'`
      )
      return rows.length > 0
    })
    await scene.sendDecisions(decision)
    await waitUntil('the decision is stored', async () => {
      // Postgres would end the transaction if it were idle for long.
      await transaction.query('select 1')
      return (await scene.storedIds(decision.organization_id)).length > 0
    })
    expect(await scene.countOf('evaluation_runs', evaluation.organization_id)).toBe(0)
  })
  await scene.settled()
  expect(await scene.countOf('evaluation_runs', evaluation.organization_id)).toBeGreaterThan(0)
})
