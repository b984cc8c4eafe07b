/** Determines the result of each decision in a batch from the gateway's response. */
import { readRetryAfter } from './backoff.ts'
import type { HttpResponse } from './platform.ts'

export type ItemResult = 'sent' | 'retry' | 'refused'

export type BatchResult =
  /** The response has one result per decision. */
  | {
      readonly kind: 'items'
      readonly items: readonly ItemResult[]
      readonly retryAfterMs: number
    }
  /** Retry the whole batch later. */
  | { readonly kind: 'retry'; readonly retryAfterMs: number }
  | { readonly kind: 'refused' }
  /** The batch is too large: retry in smaller batches. */
  | { readonly kind: 'split' }
  /** Nothing can be sent until the API key or the base URL is fixed. */
  | { readonly kind: 'misconfigured' }

const itemized = new Set([429, 503])

/** `ids` are the decision ids of the request, in order; `now` is Unix time in milliseconds. */
export function readBatchResult(
  response: HttpResponse,
  ids: readonly string[],
  now: number
): BatchResult {
  const { status, body } = response
  const items = isSuccess(status) || itemized.has(status) ? readItems(body, ids) : undefined
  const retryAfterMs = readRetryAfter(response.retryAfter, now)
  if (items !== undefined) return { kind: 'items', items, retryAfterMs }
  const kind = isSuccess(status) ? 'retry' : (kinds[status] ?? kindOf(status))
  return kind === 'retry' ? { kind, retryAfterMs } : { kind }
}

type Kind = Exclude<BatchResult['kind'], 'items'>

const kinds: Readonly<Record<number, Kind>> = {
  401: 'misconfigured',
  403: 'misconfigured',
  404: 'misconfigured',
  405: 'misconfigured',
  408: 'retry',
  413: 'split',
  425: 'retry',
  429: 'retry'
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/**
 * Treats redirects as misconfiguration: following them could send decisions and the API key to
 * another server.
 */
function kindOf(status: number): Kind {
  if (status >= 300 && status < 400) return 'misconfigured'
  return status >= 400 && status < 500 ? 'refused' : 'retry'
}

/**
 * Returns undefined unless the body has one result per decision, in order. A result with another
 * decision id shows that a proxy mixed up responses. Retrying is safe because the gateway stores
 * each decision id once.
 */
function readItems(body: string | undefined, ids: readonly string[]): ItemResult[] | undefined {
  const results = (parse(body) as { readonly results?: unknown } | null | undefined)?.results
  if (!Array.isArray(results) || results.length !== ids.length) return undefined
  const isOfOtherDecision = (result: Result | null, index: number): boolean =>
    typeof result?.decision_id === 'string' && result.decision_id !== ids[index]
  return results.some(isOfOtherDecision) ? undefined : results.map(readItem)
}

function parse(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '')
  } catch {
    return undefined
  }
}

interface Result {
  readonly decision_id?: unknown
  readonly queued?: unknown
  readonly retryable?: unknown
}

/** Retries a decision whose result is unreadable; only an explicit rejection drops it. */
function readItem(result: Result | null): ItemResult {
  if (result?.queued === true) return 'sent'
  return result?.queued === false && result.retryable === false ? 'refused' : 'retry'
}
