/** What a gateway's answer means for each decision of a batch. */
import { readRetryAfter } from './backoff.ts'
import type { Answer } from './platform.ts'

export type Fate = 'sent' | 'again' | 'refused'

export type Verdict =
  /** Each item by itself. */
  | { readonly kind: 'judged'; readonly fates: readonly Fate[]; readonly retryAfterMs: number }
  /** All of it, later. */
  | { readonly kind: 'again'; readonly retryAfterMs: number }
  | { readonly kind: 'refused' }
  /** In smaller pieces. */
  | { readonly kind: 'split' }
  /** Nothing can be sent before somebody mends the key or the address. */
  | { readonly kind: 'misconfigured' }

const judging = new Set([429, 503])

/** `ids` are of the decisions that were sent; `now` in milliseconds since 1970. */
export function readVerdict(answer: Answer, ids: readonly string[], now: number): Verdict {
  const { status, body } = answer
  const fates = isSuccess(status) || judging.has(status) ? readFates(body, ids) : undefined
  const retryAfterMs = readRetryAfter(answer.retryAfter, now)
  if (fates !== undefined) return { kind: 'judged', fates, retryAfterMs }
  const kind = isSuccess(status) ? 'again' : (kinds[status] ?? kindOf(status))
  return kind === 'again' ? { kind, retryAfterMs } : { kind }
}

type Kind = Exclude<Verdict['kind'], 'judged'>

const kinds: Readonly<Record<number, Kind>> = {
  401: 'misconfigured',
  403: 'misconfigured',
  404: 'misconfigured',
  405: 'misconfigured',
  408: 'again',
  413: 'split',
  425: 'again',
  429: 'again'
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** A redirect is not followed: with it, decisions and the key would go to who knows where. */
function kindOf(status: number): Kind {
  if (status >= 300 && status < 400) return 'misconfigured'
  return status >= 400 && status < 500 ? 'refused' : 'again'
}

/**
 * Undefined when it is not a result for each decision; ids make it safe to send them again. What
 * names another decision answers another request, by a fault of whoever is in between.
 */
function readFates(body: string | undefined, ids: readonly string[]): Fate[] | undefined {
  const results = (parse(body) as { readonly results?: unknown } | null | undefined)?.results
  if (!Array.isArray(results) || results.length !== ids.length) return undefined
  const isOfAnother = (result: Result | null, index: number): boolean =>
    typeof result?.decision_id === 'string' && result.decision_id !== ids[index]
  return results.some(isOfAnother) ? undefined : results.map(fateOf)
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

/** What cannot be read is no refusal. */
function fateOf(result: Result | null): Fate {
  if (result?.queued === true) return 'sent'
  return result?.queued === false && result.retryable === false ? 'refused' : 'again'
}
