/** A decision as a tail tells of it; its texts are made once for all who listen. */
import { writeCursor } from '../../../core/cursor.ts'
import { previewOf, previewOfLiteral } from '../preview.ts'
import type { EvaluationState, SummaryRow } from './select-summaries.ts'
import { serverSentEvent } from './server-sent-event.ts'

const pending: EvaluationState = Object.freeze({
  status: 'pending',
  reason: null,
  verdict: 'none',
  scores: {}
})

/** A decision, and what its evaluation had come to at some moment. */
export class TailItem {
  readonly row: SummaryRow
  readonly state: EvaluationState
  #decision: string | null = null
  #evaluation: string | null = null

  constructor(row: SummaryRow, state: EvaluationState = pending) {
    this.row = row
    this.state = state
  }

  /** The event that shows it. */
  get decision(): string {
    const { sort_key, decision_id } = this.row
    this.#decision ??= serverSentEvent({
      event: 'decision',
      id: writeCursor({ sort_key, id: decision_id }, {}),
      data: JSON.stringify(summaryOf(this))
    })
    return this.#decision
  }

  /** The event that tells of its evaluation. */
  get evaluation(): string {
    const { decision_id } = this.row
    const { status, verdict, scores } = this.state
    this.#evaluation ??= serverSentEvent({
      event: 'evaluation',
      data: JSON.stringify({ decision_id, status, verdict, scores })
    })
    return this.#evaluation
  }
}

/** As in the list. */
function summaryOf({ row, state: { status, verdict } }: TailItem) {
  const input = previewOf(row.input_start)
  const output = previewOfLiteral(row.output_start)
  return {
    decision_id: row.decision_id,
    received_at: row.received_at,
    stored_at: row.stored_at,
    agent_id: row.agent_id,
    session_id: row.session_id,
    domain: row.domain,
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
