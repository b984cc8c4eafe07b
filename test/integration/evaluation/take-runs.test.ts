/** Tests which due runs a process takes: each run once, connections in turn, and no more than the
 * limit of each connection.
 */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { takeDueRuns, takeRuns } from '../../../consumers/evaluation/worker/take-runs.ts'
import { countRowsRead } from './count-rows-read.ts'
import { createScene } from './worker-scene.ts'
import type { Scene } from './worker-scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await createScene()
})

const past = new Date(Date.now() - 60_000)
const future = new Date(Date.now() + 60_000)

async function take(runsMax: number): Promise<string[]> {
  const taken = await takeRuns(scene.postgres, runsMax)
  return taken.map(({ run_id }) => run_id)
}

const idsOf = (keys: readonly { readonly run_id: string }[]): string[] =>
  keys.map(({ run_id }) => run_id).toSorted()

/** Inserts due runs without decisions. They became due a minute ago. */
async function addMany(
  connection_id: string,
  count: number,
  organization_id = scene.organization_id
): Promise<void> {
  await scene.database.query(
    `insert into pending_runs (organization_id, connection_id, decision_id, run_id, rule_id, rule,
                               evaluator_id, evaluator, evaluator_kind, evaluator_version,
                               received_at, status, next_attempt_at, expires_at)
     select $1, $2, gen_random_uuid(), gen_random_uuid(), 'rul_1', 'r', 'evl_1', 'e', 'llm_judge',
            1, now(), 'scheduled', now() - interval '1 minute', now() + interval '1 hour'
       from generate_series(1, $3)`,
    [organization_id, connection_id, count]
  )
}

test('takes only due runs without a lease', async () => {
  const due = [
    await scene.addRun(),
    await scene.addRun({ status: 'retrying', next_attempt_at: past }),
    await scene.addRun({ evaluator_kind: 'heuristic', connection_id: null }),
    await scene.addRun({ status: 'running', lease_expires_at: past })
  ]
  await scene.addRun({ next_attempt_at: future })
  await scene.addRun({ lease_expires_at: future })
  await scene.addRun({ status: 'running', lease_expires_at: future })
  await scene.addRun({ status: 'running', lease_expires_at: past, next_attempt_at: future })
  await scene.addRun({ status: 'blocked' })
  await scene.addRun({ status: 'finished' })
  await scene.addRun({ evaluator_kind: 'external', connection_id: null })
  expect((await take(100)).toSorted()).toEqual(idsOf(due))
  expect(await take(100)).toEqual([])
})

test('takes a run again if its process is killed before the claim', async () => {
  const key = await scene.addRun()
  expect(await take(1)).toEqual([key.run_id])
  await scene.database.query('update pending_runs set lease_expires_at = now()')
  expect(await take(1)).toEqual([key.run_id])
})

test('never gives a run to two processes that take runs at the same time', async () => {
  const keys = await scene.addRuns(60)
  const taken: string[] = []
  while (taken.length < keys.length) {
    const rounds = await Promise.all(Array.from({ length: 4 }, () => take(5)))
    expect(rounds.flat().length).toBeGreaterThan(0)
    taken.push(...rounds.flat())
  }
  expect(taken.toSorted()).toEqual(idsOf(keys))
})

test('takes no more runs than there is room for, in turn by connection', async () => {
  const busy = await scene.addConnection({ concurrency_max: 100 })
  await addMany(busy, 100)
  const keys = [await scene.addRun(), await scene.addRun()]
  const taken = await take(4)
  expect(taken).toHaveLength(4)
  expect(taken).toEqual(expect.arrayContaining(idsOf(keys)))
})

test('gives a place that becomes free to the organization that holds the fewest', async () => {
  const busy = await scene.addConnection({ concurrency_max: 100 })
  await addMany(busy, 100)
  await take(16)
  const other = randomUUID()
  await addMany('con_other', 2, other)
  await scene.database.query(
    `update pending_runs set next_attempt_at = now() - interval '1 second'
      where organization_id = $1`,
    [other]
  )
  const taken = await takeRuns(scene.postgres, 1)
  expect(taken.map(({ organization_id }) => organization_id)).toEqual([other])
})

test('takes no run of a connection that is full, and other runs at once', async () => {
  const full = await scene.addConnection({ concurrency_max: 2 })
  await addMany(full, 1000)
  expect(await take(64)).toHaveLength(2)
  const key = await scene.addRun()
  expect(await take(64)).toEqual([key.run_id])
  await scene.database.query('update evaluation_connections set concurrency_max = 1')
  expect(await take(64)).toEqual([])
})

test.each([
  ['with statistics', 'analyze pending_runs'],
  ['without statistics', 'select 1']
])('reads a few rows per connection, among many %s', async (_, last) => {
  const full = await scene.addConnection({ concurrency_max: 2 })
  const other = await scene.addConnection({ concurrency_max: 1000 })
  await addMany(full, 20_000)
  await scene.database.query(`update pending_runs set status = 'blocked'`)
  await scene.database.query('analyze pending_runs')
  await addMany(full, 20_000)
  await addMany(other, 20_000)
  await scene.database.query(last)
  const read = await countRowsRead(scene.database, 'pending_runs', [takeDueRuns, [64]])
  expect(read).toBeGreaterThan(10)
  expect(read).toBeLessThan(100)
})
