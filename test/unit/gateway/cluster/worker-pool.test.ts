/** Tests the worker pool: it restarts workers and keeps the metrics of workers that have exited. */
import { expect, test } from '@jest/globals'
import { createWorkerPool } from '../../../../gateway/cluster/worker-pool.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'
import { createFakeFork } from './fakes.ts'

const crash = { exitCode: 1, signal: null }
const killed = { exitCode: null, signal: 'SIGKILL' }

function start({ count = 2, random = 0 } = {}) {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const stop = new AbortController()
  const { fork, born } = createFakeFork()
  const pool = createWorkerPool({
    ...{ count, fork, metrics, logger },
    stopping: stop.signal,
    random: () => random
  })
  pool.start()
  const birth = (number: number) => waitUntil(`${number} are started`, () => born.length === number)
  const restarts = () => metrics.labelsOf('sluice_worker_restarts_total').length
  return { pool, born, birth, restarts, logger, stop: () => stop.abort() }
}

test('starts the configured number of workers', () => {
  const { pool, born } = start({ count: 3 })
  expect(born).toHaveLength(3)
  expect(pool.workers().map(({ pid }) => pid)).toEqual([1, 2, 3])
})

test('restarts a worker that exits, counts the restart and logs it', async () => {
  const { pool, born, birth, restarts, logger } = start()
  born.forEach((worker) => worker.serve())
  born[0]?.end(killed)
  await birth(3)
  expect(pool.workers().map(({ pid }) => pid)).toEqual([2, 3])
  expect(restarts()).toBe(1)
  const fields = { worker: 1, exit_code: null, signal: 'SIGKILL', restart_ms: 0 }
  const message = 'worker exited, restarting'
  expect(logger.entries).toEqual([{ level: 'error', fields, message }])
})

test('waits longer before each restart while workers keep failing', async () => {
  const { born, birth, logger } = start({ count: 1, random: 0.1 })
  for (let number = 1; number <= 4; number += 1) {
    await birth(number)
    born[number - 1]?.serve()
    born[number - 1]?.end(crash)
  }
  await birth(5)
  const waits = logger.entries.map(({ fields }) => (fields as { restart_ms: number }).restart_ms)
  expect(waits).toEqual([20, 40, 80, 160])
})

test('fails with the exit code of a worker that cannot start while no other serves', async () => {
  const { pool, born } = start()
  born[1]?.end({ exitCode: 78, signal: null })
  expect(await pool.failed).toBe(78)
  expect(born).toHaveLength(2)
})

test('fails with 1 when a worker is killed before it serves and no other serves', async () => {
  const { pool, born } = start({ count: 1 })
  born[0]?.end(killed)
  expect(await pool.failed).toBe(1)
})

test('restarts a worker that cannot start while another serves', async () => {
  const { pool, born, birth } = start()
  born[0]?.serve()
  born[1]?.end(crash)
  await birth(3)
  expect(pool.workers().map(({ pid }) => pid)).toEqual([1, 3])
})

test('stops all workers and restarts none', async () => {
  const { pool, born, restarts, stop } = start()
  born.forEach((worker) => worker.serve())
  stop()
  await pool.stop()
  expect(born.map(({ received }) => received)).toEqual([[{ kind: 'stop' }], [{ kind: 'stop' }]])
  expect([born.length, pool.workers().length, restarts()]).toEqual([2, 0, 0])
})

test('an exit after shutdown began is not a failure', async () => {
  const { pool, born, stop, logger } = start()
  stop()
  born.forEach((worker) => worker.end(crash))
  await pool.stop()
  expect([born.length, logger.entries.length]).toEqual([2, 0])
})

test('shutdown does not wait for a pending restart', async () => {
  const { pool, born, restarts, stop, logger } = start({ count: 1, random: 0.99 })
  born[0]?.serve()
  born[0]?.end(crash)
  await waitUntil('its exit is known', () => logger.entries.length === 1)
  stop()
  await pool.stop()
  expect([born.length, restarts()]).toEqual([1, 0])
})

test('kills workers that do not stop', async () => {
  const { pool, born, stop } = start({ count: 1 })
  if (born[0]) born[0].answers = false
  stop()
  const stopped = pool.stop()
  pool.kill()
  await stopped
  expect(await born[0]?.ended).toEqual(killed)
})

test('keeps the metrics of workers that ended', async () => {
  const { pool, born, birth } = start()
  for (const worker of born) {
    worker.serve()
    worker.metrics.count('sluice_ingest_unknown_members_total', {}, 5)
    worker.metrics.set('sluice_produce_in_flight_records', {}, 9)
    await worker.report()
  }
  born[0]?.end(killed)
  await birth(3)
  born[1]?.end(killed)
  await birth(4)
  const values = pool.endedMetrics().map(({ name, ...rest }) => [name, rest] as const)
  const endedMetrics = new Map(values)
  expect(endedMetrics.get('sluice_ingest_unknown_members_total')).toMatchObject({
    values: [{ value: 10 }]
  })
  expect(endedMetrics.has('sluice_produce_in_flight_records')).toBe(false)
})
