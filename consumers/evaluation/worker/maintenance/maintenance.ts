/** Maintains pending runs about once a second: ends, publishes and counts runs, and probes
 * connections.
 */
import type { Logger } from '../../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { countEnded } from '../count-ended.ts'
import { endCanceled, endExpired } from './end-overdue.ts'
import { measureRuns } from './measure-runs.ts'
import type { PendingRun } from '../pending-run.ts'
import { every } from '../../../../platform/process/every.ts'
import type { PublishRuns } from '../publish-runs.ts'
import { probeConnections, releaseBlocked } from '../connections/wake-connections.ts'

interface RunMaintenanceOptions {
  readonly postgres: Postgres
  readonly publishRuns: PublishRuns
  readonly metrics: Metrics
  readonly logger: Logger
}

const everyMs = 800
const jitter = 0.5
/** Number of rounds between two executions of the rare tasks. */
const seldom = 15
/** Pauses are random, one second on average after the first failure. */
const backoff = { baseMs: 2000, capMs: 30_000 }
const publishedMax = 200
const chunksMax = 20

/** @returns a function that stops maintenance and resolves when the current task has ended */
export function startMaintenance(options: RunMaintenanceOptions): () => Promise<void> {
  let round = 0
  // Each failure is logged where it happens.
  return every({ ms: everyMs, jitter, backoff, onError: () => {} }, (signal) =>
    runRound(options, round++, signal)
  ).stop
}

/**
 * Runs all tasks, even if one fails.
 * @throws if a task failed
 */
async function runRound(
  options: RunMaintenanceOptions,
  round: number,
  signal: AbortSignal
): Promise<void> {
  const often = [
    ['end canceled runs', () => endAll(options, endCanceled)],
    ['end expired runs', () => endAll(options, endExpired)],
    ['release runs of connections that work again', () => releaseBlocked(options.postgres)],
    ['probe connections', () => probeConnections(options.postgres)],
    ['publish ended runs', () => publishUnpublished(options)]
  ] as const
  const rare = [['count pending runs', () => measureRuns(options)]] as const
  const failed: string[] = []
  for (const [task, run] of round % seldom === 0 ? [...often, ...rare] : often) {
    if (signal.aborted) return
    try {
      await run()
    } catch (error) {
      failed.push(task)
      options.logger.warn({ error }, `cannot ${task}; retrying`)
    }
  }
  if (failed.length > 0) throw new Error(`cannot ${failed.join(', ')}`)
}

async function endAll(
  { postgres, publishRuns, metrics }: RunMaintenanceOptions,
  end: (postgres: Postgres) => Promise<PendingRun[]>
): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    const runs = await end(postgres)
    if (runs.length === 0) return
    countEnded(metrics, runs)
    await publishRuns.all(runs)
  }
}

async function publishUnpublished({ publishRuns }: RunMaintenanceOptions): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    if ((await publishRuns.unpublished(publishedMax)) < publishedMax) return
  }
}
