/** Open runs as the table holds them, and the one statement that moves a run between states. */
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'

export type OpenStatus = 'scheduled' | 'running' | 'retrying' | 'blocked' | 'finished'

export interface OpenRun extends Row, RunKey {
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
  readonly status: OpenStatus
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
  readonly queued_at: Date | null
  readonly result: string | null
  readonly finished_at: Date | null
  readonly published_at: Date | null
  readonly budget: string | null
  /** The server's clock at the beginning of the transaction. */
  readonly now: Date
}

export const openRunColumns = `organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
  evaluator, evaluator_kind, evaluator_version, generation, replay_of, connection_id, received_at,
  agent_id, session_id, domain, status, status_reason, attempts, max_attempts, scheduled_at,
  next_attempt_at, expires_at, started_at, lease_token, lease_expires_at, cancel_requested_at,
  cancel_reason, queued_at, result, finished_at, published_at, budget, now() as now`

export function keyOf({ organization_id, decision_id, run_id }: RunKey): RunKey {
  return { organization_id, decision_id, run_id }
}

export function valuesOf({ organization_id, decision_id, run_id }: RunKey): readonly string[] {
  return [organization_id, decision_id, run_id]
}

/** @returns null when it is stored as ended, or erased. */
export async function readOpenRun(
  transaction: Queryable,
  key: RunKey,
  { isLocked = false } = {}
): Promise<OpenRun | null> {
  const rows = await transaction.query<OpenRun>(
    `select ${openRunColumns}
       from open_runs
      where organization_id = $1 and decision_id = $2 and run_id = $3
      ${isLocked ? 'for update' : ''}`,
    valuesOf(key)
  )
  return rows[0] ?? null
}

export function isLeased({ status, lease_expires_at, now }: OpenRun): boolean {
  return status === 'running' && lease_expires_at !== null && lease_expires_at > now
}

/** What a move makes of a run; all of it is written. */
export interface RunMove {
  readonly status: OpenStatus
  readonly status_reason: StatusReason | null
  readonly attempts: number
  /** Null leaves it as it is. */
  readonly next_attempt_at: Date | null
  /** Whoever may end or publish it from now on, and for how long. */
  readonly lease: { readonly token: string; readonly ms: number } | null
  /** JSON text of the run as it ended. */
  readonly result: string | null
}

/**
 * Compare and set: nothing is written unless the run is still as it was read. So of two who would
 * claim or end it one does, and what has ended stays as it ended.
 * @returns whether it was written.
 */
export async function moveRun(
  transaction: Queryable,
  run: OpenRun,
  move: RunMove
): Promise<boolean> {
  const rows = await transaction.query(
    `update open_runs
        set status = $4,
            status_reason = $5,
            attempts = $6,
            next_attempt_at = coalesce($7::timestamptz, next_attempt_at),
            lease_token = $8,
            lease_expires_at = now() + $9::double precision * interval '1 millisecond',
            result = $10,
            queued_at = now(),
            started_at = case when $4 = 'running' then coalesce(started_at, now())
                              else started_at end,
            finished_at = case when $4 = 'finished' then now() end
      where organization_id = $1 and decision_id = $2 and run_id = $3
        and status <> 'finished' and status = $11 and attempts = $12
        and lease_token is not distinct from $13
      returning run_id`,
    [
      ...valuesOf(run),
      ...[move.status, move.status_reason, move.attempts, move.next_attempt_at],
      ...[move.lease?.token ?? null, move.lease?.ms ?? null, move.result],
      ...[run.status, run.attempts, run.lease_token]
    ]
  )
  return rows.length > 0
}
