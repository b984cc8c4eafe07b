/** Writes how a run ended, once, and hands it to whoever publishes it. */
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { Claim } from './claimed-run.ts'
import { moveRun } from './open-run.ts'
import type { OpenRun } from './open-run.ts'
import { runOf } from './run-of.ts'
import type { RunEnd } from './run-of.ts'

/** Who ended it publishes it, unless that takes longer; then another does. */
export const publishLeaseMs = 15_000

/** @returns the run as it ended; `done` when somebody else moved it first. */
export async function endRun(
  transaction: Queryable,
  run: OpenRun,
  end: RunEnd
): Promise<Extract<Claim, { kind: 'ended' | 'done' }>> {
  const token = randomUUID()
  const result = JSON.stringify(runOf(run, end))
  const isMoved = await moveRun(transaction, run, {
    ...{ status: 'finished', status_reason: end.status_reason, attempts: run.attempts },
    ...{ next_attempt_at: null, lease: { token, ms: publishLeaseMs }, result }
  })
  if (!isMoved) return { kind: 'done' }
  const ended = { status: 'finished', lease_token: token, result, finished_at: run.now } as const
  return { kind: 'ended', run: { ...run, ...ended }, isNew: true }
}
