/** Renews the leases of runs in progress, so that a lease can be shorter than a call. */
import { systemClock } from '../../../../platform/process/clock.ts'
import type { Logger } from '../../../../platform/telemetry/logger.ts'
import { every } from '../../../../platform/process/every.ts'
import type { Queryable } from '../../../../platform/postgres/postgres.ts'
import { valuesOf } from '../pending-run.ts'
import type { ClaimedRun } from '../pending-run.ts'

export interface Leases {
  hold(claimed: ClaimedRun): void
  letGo(claimed: ClaimedRun): void
  /** Renews the leases if they are about to expire, for example after an outage of Postgres. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

interface LeasesOptions {
  readonly postgres: Queryable
  readonly logger: Logger
  readonly leaseMs: number
}

/** Number of renewals within the duration of a lease. */
const renewalsPerLease = 3
/** Repeats a failed renewal soon, before another process takes the runs. */
const backoff = { baseMs: 250, capMs: 500 }

export function createLeases({ postgres, logger, leaseMs }: LeasesOptions): Leases {
  const held = new Set<ClaimedRun>()
  const ms = leaseMs / renewalsPerLease
  let renewedAt = systemClock.now()

  async function renew(): Promise<void> {
    if (held.size > 0) await renewLeases(postgres, [...held], leaseMs)
    renewedAt = systemClock.now()
  }

  const renewing = every(
    {
      ms,
      jitter: 0,
      firstAfterMs: ms,
      backoff,
      // In the worst case, another process takes over a run and repeats its judge call.
      onError: (error) => logger.warn({ error, runs: held.size }, 'cannot renew the leases of runs')
    },
    renew
  )

  return {
    hold: (each) => void held.add(each),
    letGo: (each) => void held.delete(each),
    refresh: async () => {
      if (systemClock.now() - renewedAt > 2 * ms) await renew()
    },
    stop: renewing.stop
  }
}

async function renewLeases(
  postgres: Queryable,
  claimed: readonly ClaimedRun[],
  leaseMs: number
): Promise<void> {
  const keys = claimed.map(({ run }) => valuesOf(run))
  await postgres.query(
    `update pending_runs as r
        set lease_expires_at = now() + $5::double precision * interval '1 millisecond'
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) as h (o, d, i, token)
      where r.organization_id = o and r.decision_id = d and r.run_id = i
        and r.lease_token = token and r.status = 'running'`,
    [
      ...[0, 1, 2].map((column) => keys.map((key) => key[column])),
      claimed.map(({ token }) => token),
      leaseMs
    ]
  )
}
