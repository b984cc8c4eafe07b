/** claim: makes a run ours and puts the attempt on record, before anything is called. */
import { randomUUID } from 'node:crypto'
import type { Decision } from '../../../core/decision/decision.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import { isOfflineKind } from '../../../core/evaluation/evaluator-definition.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { admit } from './connections/admit.ts'
import { beginAttempt } from './attempts.ts'
import type { Claim, ClaimedRun } from './claimed-run.ts'
import { endRun } from './end-run.ts'
import { isLeased, moveRun, readOpenRun, valuesOf } from './open-run.ts'
import type { OpenRun } from './open-run.ts'
import { readDecision } from './read-decision.ts'
import type { ReadVersion } from './read-version.ts'
import type { RunEnd } from './run-of.ts'
import { canceledEnd, expiredEnd } from './settlement.ts'
import { addSpending, noSpending } from './connections/spend.ts'

export interface ClaimDependencies {
  readonly readVersion: ReadVersion
  /** Whether a decision is itself the call of a judge: those are never evaluated. */
  readonly isOwnCall: (decision: Decision) => boolean
  readonly leaseMs: number
}

/** All of it in the caller's transaction. */
export type ClaimRun = (transaction: Queryable, key: RunKey) => Promise<Claim>

const done = { kind: 'done' } as const
/** Until a decision that is not stored is looked for again: a share of what it was waited for. */
const absentMs = { least: 1000, most: 60_000, share: 20 }

export function createClaimRun(dependencies: ClaimDependencies): ClaimRun {
  return async function claimRun(transaction, key) {
    const run = await readOpenRun(transaction, key)
    if (run === null) return done
    const unready = unreadyClaimOf(run)
    if (unready !== null) return unready
    const over = overEndOf(run)
    if (over !== null) return await endRun(transaction, run, over)
    const decision = await readDecision(transaction, key)
    if (typeof decision === 'string') return await withoutDecision(transaction, run, decision)
    if (dependencies.isOwnCall(decision)) return await endRun(transaction, run, ownCallEnd)
    const version = await dependencies.readVersion(transaction, run)
    if (version === null) return await endRun(transaction, run, withoutVersionEnd)
    return await take(transaction, { run, decision, version, leaseMs: dependencies.leaseMs })
  }
}

/** Null when the run may be claimed, or ended, now. */
function unreadyClaimOf(run: OpenRun): Claim | null {
  if (run.status === 'finished')
    return isForgotten(run) ? { kind: 'ended', run, isNew: false } : done
  if (run.status === 'blocked' || run.evaluator_kind === 'external' || isLeased(run)) return done
  const isEarly = run.status !== 'running' && run.next_attempt_at > run.now
  return isEarly && overEndOf(run) === null ? { kind: 'later', at: run.next_attempt_at } : null
}

/** It ended without being published, and whoever would have done that is gone. */
function isForgotten({ published_at, lease_expires_at, now }: OpenRun): boolean {
  return published_at === null && (lease_expires_at === null || lease_expires_at <= now)
}

const ownCallEnd: RunEnd = { status: 'skipped', status_reason: 'loop_guard' }

const withoutContentEnd: RunEnd = {
  status: 'failed',
  status_reason: 'content_missing',
  error: 'the decision is no longer kept'
}

const withoutVersionEnd: RunEnd = {
  status: 'failed',
  status_reason: 'code_error',
  error: 'the version of its evaluator does not exist'
}

/** Null when it may be tried again. */
function overEndOf(run: OpenRun): RunEnd | null {
  if (run.cancel_requested_at !== null) return canceledEnd(run)
  if (run.expires_at <= run.now) return expiredEnd(run)
  if (run.attempts < run.max_attempts) return null
  const status_reason = run.status_reason ?? 'timeout'
  return { status: 'failed', status_reason, error: 'no attempt is left' }
}

async function withoutDecision(
  transaction: Queryable,
  run: OpenRun,
  why: 'absent' | 'erased' | 'dropped'
): Promise<Claim> {
  if (why === 'dropped') return await endRun(transaction, run, withoutContentEnd)
  if (why === 'absent') return await waitForDecision(transaction, run)
  await transaction.query(
    `delete from open_runs where organization_id = $1 and decision_id = $2 and run_id = $3`,
    valuesOf(run)
  )
  return done
}

/** It may be stored at any moment; one that is never stored is not asked for every second. */
async function waitForDecision(transaction: Queryable, run: OpenRun): Promise<Claim> {
  const waitedMs = run.now.getTime() - run.scheduled_at.getTime()
  const waitMs = Math.min(absentMs.most, Math.max(absentMs.least, waitedMs / absentMs.share))
  const at = new Date(run.now.getTime() + waitMs)
  const status = run.status === 'running' ? 'retrying' : run.status
  const { status_reason, attempts } = run
  const move = { status, status_reason, attempts, next_attempt_at: at, lease: null, result: null }
  return (await moveRun(transaction, run, move)) ? { kind: 'later', at } : done
}

interface Takeable extends Pick<ClaimedRun, 'run' | 'decision' | 'version'> {
  readonly leaseMs: number
}

async function take(transaction: Queryable, takeable: Takeable): Promise<Claim> {
  const { run, decision, version, leaseMs } = takeable
  const isOffline = isOfflineKind(version.kind)
  const admitted = isOffline ? { connection: null } : await admit(transaction, run, leaseMs)
  if ('kind' in admitted) return admitted
  const token = randomUUID()
  const attempts = run.attempts + 1
  const isOurs = await moveRun(transaction, run, {
    ...{ status: 'running', status_reason: run.status_reason, attempts },
    ...{ next_attempt_at: null, lease: { token, ms: leaseMs }, result: null }
  })
  if (!isOurs) return done
  const attempt = await beginAttempt(transaction, run)
  // Of a call whose process was killed nobody knows the price.
  const unpriced_calls = run.status === 'running' ? 1 : 0
  if (!isOffline) await addSpending(transaction, run, { ...noSpending, calls: 1, unpriced_calls })
  const started_at = run.started_at ?? run.now
  const ours = { ...run, status: 'running' as const, attempts, lease_token: token, started_at }
  const { connection } = admitted
  return { kind: 'claimed', claimed: { run: ours, token, attempt, decision, version, connection } }
}
