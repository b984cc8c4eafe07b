/** A decision as a tail tells of it; its texts are made once for all who listen. */
import type { SummaryRow } from '../../decisions/list/decision-summaries.ts'
import { summaryOf } from '../../decisions/list/summary-text.ts'
import type { EvaluationState } from './select-news.ts'
import { serverSentEvent } from './server-sent-event.ts'

const pending: EvaluationState = Object.freeze({
  status: 'pending',
  reason: null,
  verdict: 'none',
  scores: '{}'
})

/** A decision, and what its evaluation had come to at some moment. */
export class TailItem {
  readonly row: SummaryRow
  readonly state: EvaluationState
  /** Of the event that shows it: what was told with it. */
  readonly id: string
  #decision: string | null = null
  #evaluation: string | null = null

  constructor(row: SummaryRow, id: string, state: EvaluationState = pending) {
    this.row = row
    this.id = id
    this.state = state
  }

  /** The event that shows it. */
  get decision(): string {
    this.#decision ??= serverSentEvent({
      event: 'decision',
      id: this.id,
      data: JSON.stringify(summaryOf(this.row, this.state))
    })
    return this.#decision
  }

  /** The event that tells of its evaluation. */
  get evaluation(): string {
    const { decision_id } = this.row
    const { status, verdict, scores } = this.state
    const known = JSON.stringify({ decision_id, status, verdict }).slice(0, -1)
    this.#evaluation ??= serverSentEvent({
      event: 'evaluation',
      data: `${known},"scores":${scores}}`
    })
    return this.#evaluation
  }
}
