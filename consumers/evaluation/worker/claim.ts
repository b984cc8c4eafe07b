/** Claims a run for this process, and records the attempt before any call is made. */
import { randomUUID } from 'node:crypto'
import { isOfflineKind } from '../../../core/evaluation/evaluator-definition.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { admit } from './connections/admit.ts'
import { beginAttempt } from './attempts.ts'
import { endRun } from './end-run.ts'
import type { RunEnd, StepResult } from './end-run.ts'
import { moveRun, readPendingRun, valuesOf } from './pending-run.ts'
import type { ClaimedRun, PendingRun } from './pending-run.ts'
import { readDecision } from './read-decision.ts'
import { canceledEnd, expiredEnd } from './settlement.ts'
import type { TakenRun } from './take-runs.ts'
import { addSpending, noSpending } from './connections/spend.ts'
import type { WorkerContext } from './worker-context.ts'

type Claim = StepResult | { readonly kind: 'claimed'; readonly claimed: ClaimedRun }

const done = { kind: 'done' } as const
/**
 * Delay before a missing decision is looked up again: the time waited so far divided by `share`,
 * but at least `least` and at most `most` milliseconds.
 */
const absentMs = { least: 1000, most: 60_000, share: 20 }

export async function claimRun(
  { readVersion, isOwnCall, leaseMs }: WorkerContext,
  transaction: Queryable,
  taken: TakenRun
): Promise<Claim> {
  const run = await readPendingRun(transaction, taken)
  // Every state change replaces the run's token. If the token is unchanged, the run is still due.
  if (run === null || run.lease_token !== taken.lease_token) return done
  const over = overEndOf(run)
  if (over !== null) return await endRun(transaction, run, over)
  const decision = await readDecision(transaction, run)
  if (typeof decision === 'string') return await withoutDecision(transaction, run, decision)
  if (isOwnCall(decision)) return await endRun(transaction, run, ownCallEnd)
  const version = await readVersion(transaction, run)
  if (version === null) return await endRun(transaction, run, withoutVersionEnd)
  return await begin(transaction, { run, decision, version, leaseMs })
}

const ownCallEnd: RunEnd = { status: 'skipped', status_reason: 'loop_guard' }

const withoutContentEnd: RunEnd = {
  status: 'failed',
  status_reason: 'content_missing',
  error: 'the decision is no longer stored'
}

const withoutVersionEnd: RunEnd = {
  status: 'failed',
  status_reason: 'code_error',
  error: 'the evaluator version does not exist'
}

/**
 * Returns the end of a run that is canceled, expired or out of attempts, or null if it can be
 * attempted.
 */
function overEndOf(run: PendingRun): RunEnd | null {
  if (run.cancel_requested_at !== null) return canceledEnd(run)
  if (run.expires_at <= run.now) return expiredEnd(run)
  if (run.attempts < run.max_attempts) return null
  const status_reason = run.status_reason ?? 'timeout'
  return { status: 'failed', status_reason, error: 'no attempts left' }
}

async function withoutDecision(
  transaction: Queryable,
  run: PendingRun,
  why: 'absent' | 'erased' | 'dropped'
): Promise<StepResult> {
  if (why === 'dropped') return await endRun(transaction, run, withoutContentEnd)
  if (why === 'absent') return await waitForDecision(transaction, run)
  await transaction.query(
    `delete from pending_runs where organization_id = $1 and decision_id = $2 and run_id = $3`,
    valuesOf(run)
  )
  return done
}

/**
 * Postpones a run because its decision is not stored yet. The longer the decision is missing, the
 * less often it is looked up.
 */
async function waitForDecision(transaction: Queryable, run: PendingRun): Promise<StepResult> {
  const waitedMs = run.now.getTime() - run.scheduled_at.getTime()
  const waitMs = Math.min(absentMs.most, Math.max(absentMs.least, waitedMs / absentMs.share))
  const next_attempt_at = new Date(run.now.getTime() + waitMs)
  const status = run.status === 'running' ? 'retrying' : run.status
  await moveRun(transaction, run, { status, next_attempt_at })
  return done
}

interface Beginning extends Pick<ClaimedRun, 'run' | 'decision' | 'version'> {
  readonly leaseMs: number
}

async function begin(transaction: Queryable, beginning: Beginning): Promise<Claim> {
  const { run, decision, version, leaseMs } = beginning
  const isOffline = isOfflineKind(version.kind)
  const admitted = isOffline ? { connection: null } : await admit(transaction, run, leaseMs)
  if ('kind' in admitted) return admitted
  const token = randomUUID()
  const attempts = run.attempts + 1
  const lease = { token, ms: leaseMs }
  const isMoved = await moveRun(transaction, run, { status: 'running', attempts, lease })
  if (!isMoved) return done
  const attempt = await beginAttempt(transaction, run)
  // A run that is still `running` was left by a killed process, so the cost of its call is unknown.
  const unpriced_calls = run.status === 'running' ? 1 : 0
  if (!isOffline) await addSpending(transaction, run, { ...noSpending, calls: 1, unpriced_calls })
  const started_at = run.started_at ?? run.now
  const running = { ...run, status: 'running' as const, attempts, lease_token: token, started_at }
  const { connection } = admitted
  return {
    kind: 'claimed',
    claimed: { run: running, token, attempt, decision, version, connection }
  }
}
