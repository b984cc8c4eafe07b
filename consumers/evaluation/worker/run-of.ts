/** Converts a pending run to an ended run, as published and stored. */
import type { ConnectionToCall, CallReport } from './judge-outcome.ts'
import { bareRun } from '../../../core/evaluation/evaluation.ts'
import type { LaterRun, RunStatus, Score } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
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

const microsecondsPerMs = 1000
const noDetails = { scores: [], error: null, http_status: null }

export function runOf(run: PendingRun, { last, ...end }: RunEnd): LaterRun {
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
