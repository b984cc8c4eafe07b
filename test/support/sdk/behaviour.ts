/** What a scripted server does with one request; the members are told of in sdk/conformance. */

export type ItemOutcome = 'queued' | 'retryable' | 'refused'

export interface Behaviour {
  /** So many requests in a row; once when left out. */
  readonly times?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly retry_after?: number | string | { readonly date_in_seconds: number }
  readonly body?: string
  /** The body is so long, and no JSON. */
  readonly filler_bytes?: number
  /** For the first item, the second and so on, again from the first when they end. */
  readonly items?: readonly ItemOutcome[]
  /** So many results more than items, or fewer. */
  readonly results_off_by?: number
  readonly reset?: 'at_request' | 'within_request' | 'before_answer' | 'within_answer'
  /** The answer ends early, in good order, but for the length that its head promised. */
  readonly truncate?: boolean
  /** In pieces that tell their own length, so that the head does not. */
  readonly chunked?: boolean
  /** It holds the decisions, though its answer does not say so. */
  readonly takes?: boolean
  readonly hang?: boolean
  readonly delay_ms?: number
  /** A byte of the answer at a time, so long apart. */
  readonly trickle_ms?: number
  /** The whole answer before the request's body is read. */
  readonly early?: boolean
  readonly max_items?: number
  /** Of the body, inflated. */
  readonly max_bytes?: number
  readonly close?: boolean
  /** Closes the connection just after an answer that promised to keep it. */
  readonly drop_idle?: boolean
  readonly hints?: boolean
  /** Sends the caller to another path of this server. */
  readonly redirect?: boolean
}

export interface Item {
  readonly decision_id: string
  /** As it came, without insignificant whitespace. */
  readonly text: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Of these items the server holds the decisions. */
  readonly queued: readonly Item[]
  /** Whether a report that came with them was taken. */
  readonly isTaken: boolean
}

export interface Asked {
  readonly items: readonly Item[]
  readonly bytes: number
}

const elsewhere = '/elsewhere'

/** What the gateway would answer, or what the behaviour says in its place. */
export function answerOf(behaviour: Behaviour, asked: Asked): Answer {
  const outcomes = outcomesOf(behaviour, asked.items)
  const status = statusOf(behaviour, outcomes, asked)
  const hasResults = isJudged(behaviour, status)
  const isTaken = behaviour.takes ?? (hasResults && isWhole(behaviour))
  return {
    status,
    headers: headersOf(behaviour),
    body: bodyOf(behaviour, hasResults ? resultsOf(behaviour, outcomes, asked) : problemOf(status)),
    queued: isTaken ? asked.items.filter((_, index) => outcomes[index] === 'queued') : [],
    isTaken
  }
}

function outcomesOf({ items = ['queued'] }: Behaviour, asked: readonly Item[]): ItemOutcome[] {
  return asked.map((_, index) => items[index % items.length] ?? 'queued')
}

function statusOf(behaviour: Behaviour, outcomes: readonly ItemOutcome[], asked: Asked): number {
  const { max_items = Infinity, max_bytes = Infinity, status } = behaviour
  if (asked.items.length > max_items || asked.bytes > max_bytes) return 413
  if (status !== undefined) return status
  if (outcomes.every((outcome) => outcome === 'queued')) return 202
  return !outcomes.includes('queued') && outcomes.includes('retryable') ? 503 : 207
}

function isJudged({ items, body, filler_bytes }: Behaviour, status: number): boolean {
  if (body !== undefined || filler_bytes !== undefined) return false
  if (status === 202 || status === 207) return true
  return items !== undefined && (status === 429 || status === 503)
}

function isWhole({ reset, truncate, results_off_by = 0 }: Behaviour): boolean {
  return reset === undefined && truncate !== true && results_off_by === 0
}

function resultsOf(behaviour: Behaviour, outcomes: readonly ItemOutcome[], asked: Asked): object {
  const results = asked.items.map(({ decision_id }, index) =>
    resultOf(index, decision_id, outcomes[index])
  )
  const { results_off_by = 0 } = behaviour
  const extra = Array.from({ length: Math.max(0, results_off_by) }, () => results[0])
  return { results: [...results, ...extra].slice(0, results.length + results_off_by) }
}

function resultOf(index: number, decision_id: string, outcome: ItemOutcome = 'queued'): object {
  if (outcome === 'queued') return { index, decision_id, queued: true }
  const retryable = outcome === 'retryable'
  const problem = problemOf(retryable ? 429 : 422)
  return { index, decision_id, queued: false, retryable, problem }
}

function problemOf(status: number): object {
  const code = `scripted_${status}`
  return { type: `urn:sluice:problem:${code}`, title: 'Scripted.', status, detail: 'So.', code }
}

function bodyOf({ body, filler_bytes }: Behaviour, members: object): string {
  if (filler_bytes !== undefined) return ' '.repeat(filler_bytes)
  return body ?? JSON.stringify(members)
}

function headersOf({ headers = {}, retry_after, redirect, close }: Behaviour) {
  return {
    'content-type': 'application/json',
    ...headers,
    ...(retry_after === undefined ? {} : { 'retry-after': retryAfterOf(retry_after) }),
    ...(redirect === true ? { location: elsewhere } : {}),
    ...(close === true ? { connection: 'close' } : {})
  }
}

function retryAfterOf(given: NonNullable<Behaviour['retry_after']>): string {
  if (typeof given !== 'object') return String(given)
  return new Date(Date.now() + given.date_in_seconds * 1000).toUTCString()
}
