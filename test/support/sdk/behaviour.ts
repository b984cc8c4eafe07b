/** Defines responses of the scripted server. sdk/conformance documents the fields. */

type ItemOutcome = 'queued' | 'retryable' | 'refused'

export interface Behaviour {
  /** Number of requests that get this behaviour. Default: 1. */
  readonly times?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly retry_after?: number | string | { readonly date_in_seconds: number }
  readonly body?: string
  /** Responds with a non-JSON body of this size in bytes. */
  readonly filler_bytes?: number
  /** Outcomes of the items in order. The list is repeated if there are more items. */
  readonly items?: readonly ItemOutcome[]
  /** Difference between the number of results and the number of items. */
  readonly results_off_by?: number
  readonly reset?: 'at_request' | 'within_request' | 'before_answer' | 'within_answer'
  /** Ends the response before its announced length, without an error. */
  readonly truncate?: boolean
  /** Uses chunked encoding instead of a Content-Length header. */
  readonly chunked?: boolean
  /** True stores the decisions even if the response reports an error; false discards them. */
  readonly takes?: boolean
  readonly hang?: boolean
  readonly delay_ms?: number
  /** Delay between the bytes of the response in milliseconds. */
  readonly trickle_ms?: number
  /** Sends the complete response before reading the request body. */
  readonly early?: boolean
  readonly max_items?: number
  /** Maximum size of the decompressed body in bytes. */
  readonly max_bytes?: number
  readonly close?: boolean
  /** Closes the connection just after a response that promised to keep it open. */
  readonly drop_idle?: boolean
  readonly hints?: boolean
  /** Redirects to another path of this server. */
  readonly redirect?: boolean
}

export interface Item {
  readonly decision_id: string
  /** JSON text without insignificant whitespace. */
  readonly text: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Items that the server stores. */
  readonly queued: readonly Item[]
  /** True if the server accepts the client report of the request. */
  readonly isTaken: boolean
}

interface ReceivedRequest {
  readonly items: readonly Item[]
  readonly bytes: number
}

const elsewhere = '/elsewhere'

/** Returns the gateway's normal response to a request, changed as the behaviour requires. */
export function answerOf(behaviour: Behaviour, asked: ReceivedRequest): Answer {
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

function statusOf(
  behaviour: Behaviour,
  outcomes: readonly ItemOutcome[],
  asked: ReceivedRequest
): number {
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

function resultsOf(
  behaviour: Behaviour,
  outcomes: readonly ItemOutcome[],
  asked: ReceivedRequest
): object {
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
