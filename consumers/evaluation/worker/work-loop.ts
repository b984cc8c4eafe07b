/** Fetches jobs while there is room for them, and works on several at once. */
import { backoffMs } from '../../../core/backoff.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Job, JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { pause } from './pause.ts'
import type { RunJob } from './run-job.ts'

export interface WorkLoopOptions {
  readonly queue: Pick<JobQueue<RunKey>, 'fetch'>
  readonly runJob: RunJob
  readonly concurrencyMax: number
  readonly logger: Logger
}

export interface WorkLoop {
  /** Fetches no more; resolves when no fetch is under way. */
  stop(): Promise<void>
  /** Resolves when no job is worked on. */
  settled(): Promise<void>
}

const idleMs = { least: 250, most: 750 }
const backoff = { baseMs: 500, capMs: 10_000 }

export function startWorkLoop(options: WorkLoopOptions): WorkLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  const underWay = new Set<Promise<void>>()

  function begin(job: Job<RunKey>): void {
    const work = options.runJob(job).finally(() => underWay.delete(work))
    underWay.add(work)
  }

  async function loop(): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const room = options.concurrencyMax - underWay.size
      if (room <= 0) {
        await Promise.race([...underWay, aborted(signal)])
        continue
      }
      const jobs = await fetch(options, room)
      failures = jobs === null ? failures + 1 : 0
      for (const job of jobs ?? []) begin(job)
      if (jobs === null) await pause(backoffMs(backoff, failures, Math.random()), signal)
      else if (jobs.length === 0) await pause(idlePauseMs(), signal)
    }
  }

  const looping = loop()
  return {
    stop: async () => {
      stopping.abort()
      await looping
    },
    settled: async () => {
      await Promise.allSettled(underWay)
    }
  }
}

/** Null when the store did not answer. */
async function fetch({ queue, logger }: WorkLoopOptions, room: number) {
  try {
    return await queue.fetch(room)
  } catch (error) {
    logger.warn({ error }, 'could not fetch jobs; waiting to try again')
    return null
  }
}

function idlePauseMs(): number {
  return idleMs.least + Math.random() * (idleMs.most - idleMs.least)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
