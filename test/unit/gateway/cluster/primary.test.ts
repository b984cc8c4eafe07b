/** Tests the management port of the primary: readiness and metrics of all workers. */
import { describe, expect, test } from '@jest/globals'
import { exposeAll, missingIn } from '../../../../gateway/cluster/primary.ts'
import { createWorkerHandle } from '../../../../gateway/cluster/worker-handle.ts'
import { createMetrics, totalsOfEnded } from '../../../../platform/telemetry/metrics.ts'
import { FakeWorker } from './fakes.ts'

async function workersThatMiss(...missing: (readonly string[])[]) {
  const workers = missing.map((names, index) => {
    const worker = new FakeWorker(index + 1)
    worker.missing = names
    return { worker, handle: createWorkerHandle(worker) }
  })
  for (const { worker } of workers) {
    worker.serve()
    await worker.report()
  }
  const handles = workers.map(({ handle }) => handle)
  return { workers: workers.map(({ worker }) => worker), pool: { workers: () => handles } }
}

describe('missingIn', () => {
  test.each([
    ['no worker is running', [], ['worker']],
    ['every worker is ready', [[], []], []],
    ['one worker is ready', [['kafka'], []], []],
    ['none is ready', [['kafka'], ['decision schema', 'kafka']], ['kafka', 'decision schema']],
    ['one is stopping and one is not ready', [['stopping'], ['kafka']], ['stopping', 'kafka']]
  ])('names what is missing when %s', async (_when, missing, expected) => {
    const { pool } = await workersThatMiss(...missing)
    expect(missingIn(pool)).toEqual(expected)
  })
})

describe('exposeAll', () => {
  async function linesOf(...parts: Parameters<typeof exposeAll>): Promise<string[]> {
    return (await exposeAll(...parts)).text.split('\n')
  }

  test('adds up the primary, the running workers and those that ended', async () => {
    const primary = createMetrics()
    primary.count('sluice_worker_restarts_total', {}, 2)
    const ended = createMetrics()
    ended.count('sluice_ingest_unknown_members_total', {}, 100)
    const endedMetrics = totalsOfEnded([await ended.snapshot()])
    const { workers, pool } = await workersThatMiss([], [])
    for (const { metrics } of workers) {
      metrics.count('sluice_ingest_unknown_members_total', {}, 5)
      metrics.set('sluice_ready', {}, 1)
    }
    const lines = await linesOf(primary, { ...pool, endedMetrics: () => endedMetrics })
    expect(lines).toContain('sluice_worker_restarts_total 2')
    expect(lines).toContain('sluice_ingest_unknown_members_total 110')
    expect(lines).toContain('sluice_ready 2')
  })

  test('shows the last report of a worker that exits during the request', async () => {
    const { workers, pool } = await workersThatMiss([])
    const [worker] = workers
    worker?.metrics.count('sluice_ingest_unknown_members_total', {}, 5)
    await worker?.report()
    if (worker) worker.answers = false
    const exposed = linesOf(createMetrics(), { ...pool, endedMetrics: () => [] })
    worker?.kill()
    expect(await exposed).toContain('sluice_ingest_unknown_members_total 5')
  })
})
