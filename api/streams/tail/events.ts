/** Formats the server-sent events of a tail (text/event-stream in the HTML standard). */
import type { SummaryRow } from '../../decisions/queries.ts'
import { summaryOf } from '../../decisions/views.ts'
import type { StoredEvaluation } from './queries.ts'

interface ServerSentEvent {
  readonly event: string
  /** JSON without line breaks. */
  readonly data: string
  /** Clients send this id as Last-Event-ID when they reconnect. */
  readonly id?: string
}

export function serverSentEvent({ event, data, id }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: ${event}\n${idLine}data: ${data}\n\n`
}

/** Time in milliseconds that a browser waits before it reconnects. */
const retryLine = 'retry: 2000'

/**
 * Returns the start of the stream. It sets the id without an event, so that a client that
 * reconnects before the first event misses nothing.
 */
export function openingOf(id: string): string {
  return `id: ${id}\n${retryLine}\n\n`
}

export const eventStreamHeaders = Object.freeze({
  'content-type': 'text/event-stream; charset=utf-8',
  // Disables buffering in nginx and compatible proxies.
  'x-accel-buffering': 'no'
})

const pending: StoredEvaluation = Object.freeze({
  status: 'pending',
  reason: null,
  verdict: 'none',
  scores: '{}'
})

/**
 * A decision with the state of its evaluation at one point in time. Its events are rendered once
 * and shared by all subscribers.
 */
export class TailItem {
  readonly row: SummaryRow
  readonly state: StoredEvaluation
  /** Id of the `decision` event. */
  readonly id: string
  #decision: string | null = null
  #evaluation: string | null = null

  constructor(row: SummaryRow, id: string, state: StoredEvaluation = pending) {
    this.row = row
    this.id = id
    this.state = state
  }

  /** The `decision` event, which shows the decision. */
  get decision(): string {
    this.#decision ??= serverSentEvent({
      event: 'decision',
      id: this.id,
      data: JSON.stringify(summaryOf(this.row, this.state))
    })
    return this.#decision
  }

  /** The `evaluation` event, which updates the evaluation of the decision. */
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
