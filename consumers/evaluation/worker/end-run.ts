/** Stores the end of a run exactly once, and leases the run to this process for publishing. */
import { randomUUID } from 'node:crypto'
import { bareRun } from '../../../core/evaluation/evaluation.ts'
import type { LaterRun, RunStatus, Score } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { CallReport, ConnectionToCall } from './judge-outcome.ts'
import { moveRun } from './pending-run.ts'
import type { PendingRun } from './pending-run.ts'

export interface RunEnd {
  readonly status: RunStatus
  readonly status_reason: StatusReason | null
  readonly scores?: readonly Score[]
  /** Error message. Never contains content of the decision. */
  readonly error?: string | null
  readonly http_status?: number | null
  /** Undefined if the run did not end with an attempt. */
  readonly last?: LastAttempt
}

/** Evaluator version, connection and usage of the last attempt. */
interface LastAttempt {
  readonly version: EvaluatorVersion
  readonly connection: ConnectionToCall | null
  readonly report: CallReport
  readonly durationMs: number
}

/**
 * Result of a step.
 * - `done`: there is nothing to do now, or another process has the run.
 * - `ended`: the run ended and must be published.
 */
export type StepResult =
  { readonly kind: 'done' } | { readonly kind: 'ended'; readonly run: PendingRun }

/**
 * Lease duration for publishing an ended run. After it expires, another process publishes the run.
 */
export const publishLeaseMs = 15_000

/** @returns the ended run, or `done` if another process changed the run first */
export async function endRun(
  transaction: Queryable,
  run: PendingRun,
  end: RunEnd
): Promise<StepResult> {
  const token = randomUUID()
  const result = JSON.stringify(runOf(run, end))
  const { status_reason } = end
  const lease = { token, ms: publishLeaseMs }
  const isMoved = await moveRun(transaction, run, {
    status: 'finished',
    status_reason,
    lease,
    result
  })
  if (!isMoved) return { kind: 'done' }
  const ended = { status: 'finished', lease_token: token, result, finished_at: run.now } as const
  return { kind: 'ended', run: { ...run, ...ended } }
}

const microsecondsPerMs = 1000
const noDetails = { scores: [], error: null, http_status: null }

/** Converts a pending run to an ended run, as published and stored. */
function runOf(run: PendingRun, { last, ...end }: RunEnd): LaterRun {
  return {
    ...bareRun,
    ...identityOf(run),
    attempts: run.attempts,
    duration_us: null,
    scheduled_at: run.scheduled_at.getTime(),
    started_at: run.started_at?.getTime() ?? null,
    ...noDetails,
    ...end,
    ...(last === undefined ? {} : usageOf(last))
  }
}

function usageOf({ version, connection, report, durationMs }: LastAttempt) {
  const { input_tokens, output_tokens, cost_nano_usd, model, model_reported, latency_ms } = report
  return {
    duration_us: Math.round(durationMs * microsecondsPerMs),
    config_hash: version.config_hash,
    provider: connection?.kind ?? null,
    input_tokens,
    output_tokens,
    cost_nano_usd,
    model,
    model_reported,
    latency_ms
  }
}

function identityOf(run: PendingRun) {
  const { run_id, rule, rule_id, generation, replay_of } = run
  const { evaluator, evaluator_id, evaluator_kind, evaluator_version } = run
  return {
    run_id,
    rule,
    rule_id,
    generation,
    replay_of,
    evaluator,
    evaluator_id,
    evaluator_kind,
    evaluator_version
  }
}
