/** One decision of a list, as JSON text: whole texts are put in as they were sent. */
import type { EvaluationView } from '../../evaluation-view.ts'
import { previewOf, previewOfLiteral } from '../../preview.ts'
import type { Inclusion } from './decision-query.ts'
import type { PayloadRow, SummaryRow } from './decision-summaries.ts'

export interface SummaryParts {
  readonly row: SummaryRow
  /** With its scores where they are asked for. */
  readonly evaluation: Pick<EvaluationView, 'status' | 'verdict'> & Partial<EvaluationView>
  /** Null when no texts were asked for. */
  readonly payload: PayloadRow | null
  readonly include: readonly Inclusion[]
}

export function summaryText({ row, evaluation, payload, include }: SummaryParts): string {
  const text = JSON.stringify(summaryOf(row, evaluation))
  const members = include.map((name) => {
    if (name === 'scores') return `"scores":${JSON.stringify(evaluation.scores ?? {})}`
    return `"${name}":${payload?.[name] ?? 'null'}`
  })
  return `{${[text.slice(1, -1), ...new Set(members)].join(',')}}`
}

export function summaryOf(
  row: SummaryRow,
  { status, verdict }: { readonly status: string; readonly verdict: string }
) {
  const input = previewOf(row.input_start)
  const output = previewOfLiteral(row.output_start)
  return {
    decision_id: row.decision_id,
    received_at: row.received_at,
    stored_at: row.stored_at,
    agent_id: row.agent_id,
    session_id: row.session_id,
    domain: row.domain,
    model: row.model,
    agent_version: row.agent_version,
    latency_ms: row.latency_ms,
    is_error: row.is_error,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    sdk_version: row.sdk_version,
    input_preview: input.preview,
    input_truncated: input.truncated,
    output_preview: output.preview,
    output_truncated: output.truncated,
    evaluation: { status, verdict }
  }
}
