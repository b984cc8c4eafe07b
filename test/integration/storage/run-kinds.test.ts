/** Tests that a run kind is kept while rows use it, and that any run is found by its ID. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { findRun } from '../../../api/results/runs/queries.ts'
import { createStore } from '../../../api/store.ts'
import { writeRunKinds } from '../../../consumers/storage/run-kinds.ts'
import { makePartitions } from '../../../consumers/storage/maintenance/partitions.ts'
import { applyRetention } from '../../../consumers/storage/maintenance/retention.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import { plannedRunsOf } from '../../../evaluators/planning/plan-rules.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { aDecision, noon } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { evaluated, openStorage } from '../../support/open-storage.ts'
import type { OpenStorage } from '../../support/open-storage.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { RecordingLogger } from '../../unit/platform/recording-logger.ts'

const logger = new RecordingLogger()
const dayMs = 86_400_000
const kindsOfDefault = plannedRunsOf(defaultRuleSet, ['planned']).length
let organization_id: string
let storage: OpenStorage
let database: OpenStorage['database']
let postgres: OpenStorage['postgres']

beforeAll(async () => {
  storage = await openStorage()
  ;({ database, postgres } = storage)
})

beforeEach(() => void (organization_id = randomUUID()))

async function storeEvaluated(decision: Decision): Promise<Evaluation> {
  const [evaluation] = evaluated(decision) as [Evaluation]
  await storage.storeEvaluations(evaluation)
  return evaluation
}

function useAgain(transaction: Queryable, evaluation: Evaluation): Promise<void> {
  const packed = { evaluated_at: noon, runs: evaluation.runs }
  return writeRunKinds(transaction, [{ organization_id, received_at: new Date(noon), packed }])
}

async function rowsIn(table: string): Promise<number> {
  const rows = await database.query(`select from ${table} where organization_id = $1`, [
    organization_id
  ])
  return rows.length
}

/** Backdates the last use of the organization's run kinds. */
async function agedBy(days: number): Promise<void> {
  await database.query(
    'update run_kinds set used_on = used_on - $2::integer where organization_id = $1',
    [organization_id, days]
  )
}

test('keeps or inserts a kind that is used again, whenever retention runs', async () => {
  const evaluation = await storeEvaluated(aDecision({ organization_id }))
  const retention = new pg.Client({ connectionString: database.url })
  await retention.connect()
  onEnd(() => retention.end())
  await retention.query('set lock_timeout = 200')
  for (const before of [0, 1, 2, 3]) {
    await agedBy(1000)
    let statements = 0
    await postgres.transaction(async (transaction) => {
      const deleteOld = async () => {
        if (statements !== before) return
        await retention
          .query('delete from run_kinds where used_on < current_date - 500')
          .catch(() => {})
      }
      const query: Queryable['query'] = async (statement, values) => {
        await deleteOld()
        statements += 1
        return await transaction.query(statement, values)
      }
      await useAgain({ query }, evaluation)
      await deleteOld()
    })
    expect(await rowsIn('run_kinds')).toBe(kindsOfDefault)
  }
})

test('keeps a kind that is used while retention waits for it', async () => {
  const evaluation = await storeEvaluated(aDecision({ organization_id }))
  await agedBy(5000)
  const used = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<void>()
  const storing = postgres.transaction(async (transaction) => {
    await useAgain(transaction, evaluation)
    used.resolve()
    await isOver.promise
  })
  await used.promise
  const retaining = applyRetention({ postgres, logger, retentionDays: 4000 })
  await waitUntil('retention waits', async () => {
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return (await database.query(waiting)).length > 0
  })
  isOver.resolve()
  await Promise.all([storing, retaining])
  expect(await rowsIn('run_kinds')).toBe(kindsOfDefault)
})

test('keeps the kind of a decision with a future day as long as its row', async () => {
  const received_at = Date.now() + 20 * dayMs
  await storeEvaluated(aDecision({ organization_id, received_at }))
  await makePartitions({ postgres, logger })
  await agedBy(13)
  await applyRetention({ postgres, logger, retentionDays: 10 })
  expect(await rowsIn('evaluation_runs')).toBe(kindsOfDefault)
})

test('finds a run whose decision is not stored, or stored under another time', async () => {
  const ours = createStore(postgres).of(organization_id)
  const decision = aDecision({ organization_id })
  await storeEvaluated(decision)
  const [run] = await database.query(
    'select run_id from evaluation_runs where organization_id = $1',
    [organization_id]
  )
  const runId = String(run?.['run_id'])
  expect(await findRun(ours, runId)).toMatchObject({ run_id: runId })
  await storage.storeDecisions({ ...decision, received_at: noon + 1 })
  expect(await findRun(ours, runId)).toMatchObject({ run_id: runId })
})
