/** Records the attempts of a run. An attempt is inserted before its call is made. */
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { JudgeOutcome } from './judge-outcome.ts'
import { valuesOf } from './pending-run.ts'

/**
 * Inserts an attempt and returns its number, starting at 1. Attempts that do not count towards the
 * maximum are numbered too.
 */
export async function beginAttempt(transaction: Queryable, key: RunKey): Promise<number> {
  const [row] = await transaction.query<{ attempt: number }>(
    `insert into run_attempts (organization_id, decision_id, run_id, attempt)
     select $1, $2, $3, coalesce(max(attempt), 0) + 1
       from run_attempts
      where organization_id = $1 and decision_id = $2 and run_id = $3
     returning attempt`,
    valuesOf(key)
  )
  if (row === undefined) throw new Error('the attempt was not inserted')
  return row.attempt
}

interface AttemptEnd {
  readonly attempt: number
  readonly isCounted: boolean
  readonly outcome: JudgeOutcome
}

const replyCharactersMax = 16_384
const errorCharactersMax = 500

/** Records the end of an attempt. Does nothing if the decision was erased in the meantime. */
export async function endAttempt(
  transaction: Queryable,
  key: RunKey,
  { attempt, isCounted, outcome: { result, report } }: AttemptEnd
): Promise<void> {
  const failure = result.kind === 'failure' ? result : null
  await transaction.query(
    `update run_attempts
        set finished_at = now(), counted = $5, outcome = $6, status_reason = $7, http_status = $8,
            error = $9, model = $10, model_reported = $11, input_tokens = $12, output_tokens = $13,
            nano_usd = $14, latency_ms = $15, reply = $16
      where organization_id = $1 and decision_id = $2 and run_id = $3 and attempt = $4`,
    [
      ...valuesOf(key),
      attempt,
      isCounted,
      result.kind,
      result.kind === 'scored' ? null : result.status_reason,
      failure?.http_status ?? null,
      failure?.message.slice(0, errorCharactersMax) ?? null,
      report.model,
      report.model_reported,
      report.input_tokens,
      report.output_tokens,
      report.cost_nano_usd,
      report.latency_ms,
      report.reply?.slice(0, replyCharactersMax) ?? null
    ]
  )
}
