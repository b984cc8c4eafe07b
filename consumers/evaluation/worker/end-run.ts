/** Stores the end of a run exactly once, and leases the run to this process for publishing. */
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { Claim } from './claimed-run.ts'
import { moveRun } from './pending-run.ts'
import type { PendingRun } from './pending-run.ts'
import { runOf } from './run-of.ts'
import type { RunEnd } from './run-of.ts'

/**
 * Lease duration for publishing an ended run. After it expires, another process publishes the run.
 */
export const publishLeaseMs = 15_000

/** @returns the ended run, or `done` if another process changed the run first */
export async function endRun(
  transaction: Queryable,
  run: PendingRun,
  end: RunEnd
): Promise<Extract<Claim, { kind: 'ended' | 'done' }>> {
  const token = randomUUID()
  const result = JSON.stringify(runOf(run, end))
  const isMoved = await moveRun(transaction, run, {
    status: 'finished',
    status_reason: end.status_reason,
    attempts: run.attempts,
    next_attempt_at: null,
    lease: { token, ms: publishLeaseMs },
    result
  })
  if (!isMoved) return { kind: 'done' }
  const ended = { status: 'finished', lease_token: token, result, finished_at: run.now } as const
  return { kind: 'ended', run: { ...run, ...ended } }
}
