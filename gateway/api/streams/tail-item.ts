/** A decision as a tail tells of it; its texts are made once for all who listen. */
import { writeCursor } from '../../../core/cursor.ts'
import type { SummaryRow } from '../decisions/decision-summaries.ts'
import { summaryOf } from '../decisions/summary-text.ts'
import type { EvaluationState } from './select-news.ts'
import { serverSentEvent } from './server-sent-event.ts'

const pending: EvaluationState = Object.freeze({
  status: 'pending',
  reason: null,
  verdict: 'none',
  scores: {}
})

/** The summary of a decision, and its place in the list. */
export interface TailRow extends SummaryRow {
  /** `received_at` with all its digits. */
  readonly sort_key: string
}

/** A decision, and what its evaluation had come to at some moment. */
export class TailItem {
  readonly row: TailRow
  readonly state: EvaluationState
  #decision: string | null = null
  #evaluation: string | null = null

  constructor(row: TailRow, state: EvaluationState = pending) {
    this.row = row
    this.state = state
  }

  /** The event that shows it. */
  get decision(): string {
    const { sort_key, decision_id } = this.row
    this.#decision ??= serverSentEvent({
      event: 'decision',
      id: writeCursor({ sort_key, id: decision_id }, {}),
      data: JSON.stringify(summaryOf(this.row, this.state))
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
