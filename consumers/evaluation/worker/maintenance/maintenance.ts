/** Maintains pending runs about once a second: ends, publishes and counts runs, and probes
 * connections.
 */
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { endCanceled, endExpired } from './end-overdue.ts'
import { measureRuns } from './measure-runs.ts'
import type { PendingRun } from '../pending-run.ts'
import { every } from '../../../../platform/process/every.ts'
import { publishEnded, publishUnpublished } from '../publish-runs.ts'
import type { WorkerContext } from '../worker-context.ts'
import { probeConnections, releaseBlocked } from '../connections/wake-connections.ts'

const everyMs = 800
const jitter = 0.5
/** Number of rounds between two executions of the rare tasks. */
const seldom = 15
/** Pauses are random, one second on average after the first failure. */
const backoff = { baseMs: 2000, capMs: 30_000 }
const publishedMax = 200
const chunksMax = 20

/** @returns a function that stops maintenance and resolves when the current task has ended */
export function startMaintenance(context: WorkerContext): () => Promise<void> {
  let round = 0
  // Each failure is logged where it happens.
  return every({ ms: everyMs, jitter, backoff, onError: () => {} }, (signal) =>
    runRound(context, round++, signal)
  ).stop
}

/**
 * Runs all tasks, even if one fails.
 * @throws if a task failed
 */
async function runRound(context: WorkerContext, round: number, signal: AbortSignal): Promise<void> {
  const often = [
    ['end canceled runs', () => endAll(context, endCanceled)],
    ['end expired runs', () => endAll(context, endExpired)],
    ['release runs of connections that work again', () => releaseBlocked(context.postgres)],
    ['probe connections', () => probeConnections(context.postgres)],
    ['publish ended runs', () => publishRemaining(context)]
  ] as const
  const rare = [['count pending runs', () => measureRuns(context)]] as const
  const failed: string[] = []
  for (const [task, run] of round % seldom === 0 ? [...often, ...rare] : often) {
    if (signal.aborted) return
    try {
      await run()
    } catch (error) {
      failed.push(task)
      context.logger.warn({ error }, `cannot ${task}; retrying`)
    }
  }
  if (failed.length > 0) throw new Error(`cannot ${failed.join(', ')}`)
}

async function endAll(
  context: WorkerContext,
  end: (postgres: Postgres) => Promise<PendingRun[]>
): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    const runs = await end(context.postgres)
    if (runs.length === 0) return
    await publishEnded(context, runs)
  }
}

async function publishRemaining(context: WorkerContext): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    if ((await publishUnpublished(context, publishedMax)) < publishedMax) return
  }
}
