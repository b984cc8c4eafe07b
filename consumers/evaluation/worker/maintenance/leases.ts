/** Renews the leases of runs under way, so that a short one outlives a long call. */
import type { RunKey } from '../../../../core/evaluation/evaluation.ts'
import type { Job, JobQueue } from '../../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../../platform/telemetry/logger.ts'
import type { Queryable } from '../../../../platform/postgres/postgres.ts'
import type { ClaimedRun } from '../claimed-run.ts'
import { valuesOf } from '../open-run.ts'

export interface HeldRun {
  readonly claimed: ClaimedRun
  readonly job: Job<RunKey>
}

export interface Leases {
  hold(held: HeldRun): void
  letGo(held: HeldRun): void
  readonly held: () => readonly HeldRun[]
  stop(): Promise<void>
}

export interface LeasesOptions {
  readonly postgres: Queryable
  readonly queue: Pick<JobQueue<RunKey>, 'touch'>
  readonly logger: Logger
  readonly leaseMs: number
}

/** A lease is renewed so many times before it would be over. */
const renewalsPerLease = 3

export function createLeases({ postgres, queue, logger, leaseMs }: LeasesOptions): Leases {
  const held = new Set<HeldRun>()
  let renewing = Promise.resolve()

  async function renew(): Promise<void> {
    const runs = [...held]
    if (runs.length === 0) return
    try {
      await renewLeases(postgres, runs, leaseMs)
      await queue.touch(runs.map(({ job }) => job))
    } catch (error) {
      // Whoever takes a run over calls its judge once more; more than that cannot happen.
      logger.warn({ error, runs: runs.length }, 'could not renew the leases of runs')
    }
  }

  const timer = setInterval(() => {
    renewing = renewing.then(renew)
  }, leaseMs / renewalsPerLease)

  return {
    hold: (each) => void held.add(each),
    letGo: (each) => void held.delete(each),
    held: () => [...held],
    stop: async () => {
      clearInterval(timer)
      await renewing
    }
  }
}

async function renewLeases(
  postgres: Queryable,
  runs: readonly HeldRun[],
  leaseMs: number
): Promise<void> {
  const keys = runs.map(({ claimed }) => valuesOf(claimed.run))
  await postgres.query(
    `update open_runs as r
        set lease_expires_at = now() + $5::double precision * interval '1 millisecond'
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) as h (o, d, i, token)
      where r.organization_id = o and r.decision_id = d and r.run_id = i
        and r.lease_token = token and r.status = 'running'`,
    [
      ...[0, 1, 2].map((column) => keys.map((key) => key[column])),
      ...[runs.map(({ claimed }) => claimed.token), leaseMs]
    ]
  )
}
