/** Reads and updates pending runs. Each state change is a single statement. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import type { ConnectionToCall } from './judge-outcome.ts'

export type PendingStatus = 'scheduled' | 'running' | 'retrying' | 'blocked' | 'finished'

export interface PendingRun extends Row, RunKey {
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly generation: number
  readonly replay_of: string | null
  readonly connection_id: string | null
  readonly received_at: Date
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly status: PendingStatus
  readonly status_reason: StatusReason | null
  readonly attempts: number
  readonly max_attempts: number
  readonly scheduled_at: Date
  readonly next_attempt_at: Date
  readonly expires_at: Date
  readonly started_at: Date | null
  readonly lease_token: string | null
  readonly lease_expires_at: Date | null
  readonly cancel_requested_at: Date | null
  readonly cancel_reason: Extract<StatusReason, 'user' | 'disabled' | 'deleted'> | null
  readonly result: string | null
  readonly finished_at: Date | null
  readonly published_at: Date | null
  readonly budget: string | null
  /** Time of the Postgres clock at the start of the transaction. */
  readonly now: Date
}

/** A run that no other process may execute or end until the lease expires. */
export interface ClaimedRun {
  /** The run after the claim was written. */
  readonly run: PendingRun
  readonly token: string
  readonly attempt: number
  readonly decision: Decision
  readonly version: EvaluatorVersion
  /** Null for a run that needs no network. */
  readonly connection: ConnectionToCall | null
}

export const pendingRunColumns = `organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
  evaluator, evaluator_kind, evaluator_version, generation, replay_of, connection_id, received_at,
  agent_id, session_id, domain, status, status_reason, attempts, max_attempts, scheduled_at,
  next_attempt_at, expires_at, started_at, lease_token, lease_expires_at, cancel_requested_at,
  cancel_reason, result, finished_at, published_at, budget, now() as now`

export function valuesOf({ organization_id, decision_id, run_id }: RunKey): readonly string[] {
  return [organization_id, decision_id, run_id]
}

/**
 * Reads a run. Returns null if the run was erased, or if storage has stored its end and deleted the
 * row.
 */
export async function readPendingRun(
  transaction: Queryable,
  key: RunKey,
  { isLocked = false } = {}
): Promise<PendingRun | null> {
  const rows = await transaction.query<PendingRun>(
    `select ${pendingRunColumns}
       from pending_runs
      where organization_id = $1 and decision_id = $2 and run_id = $3
      ${isLocked ? 'for update' : ''}`,
    valuesOf(key)
  )
  return rows[0] ?? null
}

/** New state of a run. An omitted member keeps its value, except for the lease. */
interface RunMove {
  readonly status: PendingStatus
  readonly status_reason?: StatusReason | null
  readonly attempts?: number
  readonly next_attempt_at?: Date
  /**
   * Token of the process that may now end or publish the run, and the duration of its lease in
   * milliseconds. If omitted, no process has the run.
   */
  readonly lease?: { readonly token: string; readonly ms: number }
  /** JSON text of the ended run. */
  readonly result?: string
}

/**
 * Writes the new state if the run has not changed since it was read (compare-and-set). If two
 * processes change a run concurrently, only one succeeds. Never changes a finished run.
 * @returns whether the state was written
 */
export async function moveRun(
  transaction: Queryable,
  run: PendingRun,
  { status, lease, next_attempt_at, result, ...move }: RunMove
): Promise<boolean> {
  const { status_reason, attempts } = { ...run, ...move }
  const rows = await transaction.query(
    `update pending_runs
        set status = $4,
            status_reason = $5,
            attempts = $6,
            next_attempt_at = coalesce($7::timestamptz, next_attempt_at),
            lease_token = $8,
            lease_expires_at = now() + $9::double precision * interval '1 millisecond',
            result = $10,
            started_at = case when $4 = 'running' then coalesce(started_at, now())
                              else started_at end,
            finished_at = case when $4 = 'finished' then now() end
      where organization_id = $1 and decision_id = $2 and run_id = $3
        and status <> 'finished' and status = $11 and attempts = $12
        and lease_token is not distinct from $13
      returning run_id`,
    [
      ...valuesOf(run),
      status,
      status_reason,
      attempts,
      next_attempt_at,
      lease?.token,
      lease?.ms,
      result,
      run.status,
      run.attempts,
      run.lease_token
    ]
  )
  return rows.length > 0
}
