/** The upkeep of open runs, every second: what is due, what is over, and what was left behind. */
import { backoffMs } from '../../../../core/backoff.ts'
import type { RunKey } from '../../../../core/evaluation/evaluation.ts'
import type { JobQueue } from '../../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../../../platform/postgres/postgres.ts'
import { countEnded } from '../count-ended.ts'
import { endCanceled, endExpired } from './end-overdue.ts'
import { measureRuns } from './measure-runs.ts'
import type { OpenRun } from '../open-run.ts'
import { pause } from '../pause.ts'
import type { PublishRuns } from '../publish-runs.ts'
import { sweepDue, sweepStrayed } from './sweep.ts'
import { probeConnections, releaseBlocked } from '../connections/wake-connections.ts'

export interface UpkeepOptions {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<RunKey>, 'add'>
  readonly publishRuns: PublishRuns
  readonly metrics: Metrics
  readonly logger: Logger
}

const everyMs = { least: 800, most: 1200 }
/** Some of it is needed in every so many rounds only. */
const seldom = 15
const backoff = { baseMs: 1000, capMs: 30_000 }
const publishedMax = 200
const chunksMax = 20

/** Begins at once; returns what ends it, once the part under way has ended. */
export function startUpkeep(options: UpkeepOptions): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function loop(): Promise<void> {
    let failures = 0
    for (let round = 0; !signal.aborted; round++) {
      const isDone = await runRound(options, round, signal)
      failures = isDone ? 0 : failures + 1
      const waitMs = isDone ? everyMs.least : backoffMs(backoff, failures, 1)
      await pause(waitMs + Math.random() * (everyMs.most - everyMs.least), signal)
    }
  }

  const looping = loop()
  return async function stop() {
    stopping.abort()
    await looping
  }
}

/** Each part is tried, whatever became of the one before. @returns whether all went well. */
async function runRound(
  options: UpkeepOptions,
  round: number,
  signal: AbortSignal
): Promise<boolean> {
  const often = [
    ['end what was canceled', () => endAll(options, endCanceled)],
    ['end what expired', () => endAll(options, endExpired)],
    ['release runs of connections that work again', () => releaseBlocked(options)],
    ['probe connections', () => probeConnections(options)],
    ['queue what is due', () => sweepDue(options)],
    ['publish what ended', () => publishForgotten(options)]
  ] as const
  const rare = [
    ['queue what strayed', () => sweepStrayed(options)],
    ['count open runs', () => measureRuns(options)]
  ] as const
  let isDone = true
  for (const [what, part] of round % seldom === 0 ? [...often, ...rare] : often) {
    if (signal.aborted) return true
    try {
      await part()
    } catch (error) {
      isDone = false
      options.logger.warn({ error }, `could not ${what}; trying again`)
    }
  }
  return isDone
}

async function endAll(
  { postgres, publishRuns, metrics }: UpkeepOptions,
  end: (postgres: Postgres) => Promise<OpenRun[]>
): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    const runs = await end(postgres)
    if (runs.length === 0) return
    countEnded(metrics, runs)
    await publishRuns.all(runs)
  }
}

async function publishForgotten({ publishRuns }: UpkeepOptions): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    if ((await publishRuns.forgotten(publishedMax)) < publishedMax) return
  }
}
