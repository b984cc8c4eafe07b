/** A run as lists show it: whose it is, what became of it, and what it cost. */
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'

const nanoPerUsd = 1_000_000_000

/** A row of the ended or of the open runs. */
export interface RunRecordRow extends Row {
  readonly run_id: string
  readonly decision_id: string
  readonly status: string
  readonly attempts: number
  readonly nano_usd: number | null
  readonly duration_us: number | null
  /** JSON text of an open run as it ended. */
  readonly result: string | null
}

/** Columns of both, of a row that is called `s`. */
const shared = `s.run_id, s.decision_id, s.rule_id, s.rule, s.evaluator_id, s.evaluator,
            s.evaluator_kind, s.evaluator_version, s.generation, s.replay_of, s.status,
            s.status_reason, s.attempts, s.scheduled_at, s.started_at, s.received_at, s.agent_id,
            s.session_id, s.domain`

export const endedColumns = `${shared}, s.evaluated_at, s.superseded_by, null as next_attempt_at,
            null as expires_at, null as cancel_requested_at, s.error, s.http_status, s.provider,
            s.model, s.model_reported, s.input_tokens, s.output_tokens, s.nano_usd, s.latency_ms,
            s.duration_us, null as result`

export const openColumns = `${shared}, s.finished_at as evaluated_at, null as superseded_by,
            s.next_attempt_at, s.expires_at, s.cancel_requested_at, null as error,
            null as http_status, null as provider, null as model, null as model_reported,
            null as input_tokens, null as output_tokens, null as nano_usd, null as latency_ms,
            null as duration_us, s.result`

export function runRecordOf({ result, nano_usd, ...row }: RunRecordRow) {
  const ended = result === null ? {} : endedMembersOf(JSON.parse(result) as LaterRun)
  const { cost_nano_usd = nano_usd, ...members } = ended as { cost_nano_usd?: number | null }
  const usd = cost_nano_usd === null ? null : cost_nano_usd / nanoPerUsd
  return { ...row, ...members, usd }
}

/** Of a run that has ended and is on its way, what it came to, and not what its row still says. */
function endedMembersOf(run: LaterRun) {
  const { status, status_reason, attempts, evaluator_id, error, http_status, provider } = run
  const { model, model_reported, input_tokens, output_tokens, latency_ms, duration_us } = run
  return {
    ...{ status, status_reason, attempts, evaluator_id, error, http_status, provider, model },
    ...{ model_reported, input_tokens, output_tokens, latency_ms, duration_us },
    ...{ cost_nano_usd: run.cost_nano_usd, next_attempt_at: null, expires_at: null }
  }
}
