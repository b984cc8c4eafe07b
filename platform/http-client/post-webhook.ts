/** Posts one webhook, signed, and says what came back in a few words. */
import type { Clock } from '../../core/clock.ts'
import { OutboundError } from './outbound.ts'
import type { Outbound } from './outbound.ts'
import { webhookHeadersOf } from './webhook-signature.ts'

export interface WebhookPost {
  readonly url: string
  readonly id: string
  /** JSON text. */
  readonly payload: string
  readonly secrets: readonly string[]
}

export interface WebhookAnswer {
  /**
   * `gone`: the receiver wants nothing any more. `refused`: trying again is of no use, since the
   * URL leads where we do not go.
   */
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'refused'
  readonly http_status: number | null
  /** What was wrong; nothing of what the receiver wrote. */
  readonly error: string | null
  /** The receiver wants to be left alone for so long. */
  readonly retryAfterMs: number | null
}

export type PostWebhook = (post: WebhookPost) => Promise<WebhookAnswer>

/** How long a receiver may take for its whole answer. */
export const webhookTimeoutMs = 10_000
/** Of an answer, which nobody reads. */
export const webhookAnswerBytesMax = 1024 * 1024

export interface PostWebhookDependencies {
  readonly outbound: Pick<Outbound, 'fetch' | 'privateAddressesAllowed'>
  readonly clock: Clock
}

export function createPostWebhook(dependencies: PostWebhookDependencies): PostWebhook {
  const { outbound, clock } = dependencies

  return async function postWebhook({ url, id, payload, secrets }) {
    const sentAt = new Date(clock.now())
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'sluice-webhooks',
      ...webhookHeadersOf({ id, sentAt, payload }, secrets)
    }
    try {
      // The outbound's own limit is for judges, who think longer than receivers may.
      const signal = AbortSignal.timeout(webhookTimeoutMs)
      const response = await outbound.fetch(url, { method: 'POST', headers, body: payload, signal })
      return answerOf(response, clock)
    } catch (error) {
      return brokenOf(error, outbound.privateAddressesAllowed)
    }
  }
}

const gone = 410

function answerOf({ ok, status, headers }: Response, clock: Clock): WebhookAnswer {
  const answer = { http_status: status, retryAfterMs: null }
  if (ok) return { ...answer, outcome: 'delivered', error: null }
  if (status === gone) return { ...answer, outcome: 'gone', error: 'the receiver answered 410' }
  const isElsewhere = status >= 300 && status < 400
  const error = isElsewhere
    ? `the receiver answered ${status}; redirects are not followed`
    : `the receiver answered ${status}`
  return { outcome: 'failed', http_status: status, error, retryAfterMs: waitOf(headers, clock) }
}

/** @param isPrivate whether the receiver may be at a private address */
function brokenOf(error: unknown, isPrivate: boolean): WebhookAnswer {
  const isLate = (error as Error).name === 'TimeoutError'
  if (!isLate && !(error instanceof OutboundError)) throw error
  const outcome = isRefused(error) ? 'refused' : 'failed'
  return { outcome, http_status: null, error: reasonOf(error, isPrivate), retryAfterMs: null }
}

function isRefused(error: unknown): boolean {
  return error instanceof OutboundError && error.code === 'address_refused'
}

/** A private receiver's failures are all alike, or webhooks would tell which ports are open. */
function reasonOf(error: unknown, isPrivate: boolean): string {
  if (isRefused(error)) return (error as Error).message
  if (isPrivate) return 'the receiver could not be reached'
  if (error instanceof OutboundError) return error.message
  return `no whole answer in ${webhookTimeoutMs / 1000} seconds`
}

/** Seconds or a date; null when it says neither. */
function waitOf(headers: Headers, clock: Clock): number | null {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - clock.now())
}
