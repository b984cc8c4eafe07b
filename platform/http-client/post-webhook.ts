/** Sends one signed webhook and classifies the response. */
import type { Clock } from '../../core/clock.ts'
import { OutboundError } from './outbound.ts'
import type { Outbound } from './outbound.ts'
import { webhookHeadersOf } from './webhook-signature.ts'

interface WebhookPost {
  readonly url: string
  readonly id: string
  /** JSON text. */
  readonly payload: string
  readonly secrets: readonly string[]
}

export interface WebhookResponse {
  /**
   * `gone`: the receiver responded with 410, so it wants no further deliveries. `refused`: the URL
   * points to a forbidden address, so a retry cannot succeed.
   */
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'refused'
  readonly http_status: number | null
  /** Error message, without any text from the receiver. */
  readonly error: string | null
  /** Delay that the receiver requested with Retry-After. */
  readonly retryAfterMs: number | null
}

export type PostWebhook = (post: WebhookPost) => Promise<WebhookResponse>

/** Maximum time to receive a complete response. */
export const webhookTimeoutMs = 10_000
/** Maximum size of a response in bytes. The response body is discarded. */
export const webhookAnswerBytesMax = 1024 * 1024

interface PostWebhookDependencies {
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
      // The default timeout of the outbound client is longer, because judges need more time.
      const signal = AbortSignal.timeout(webhookTimeoutMs)
      const response = await outbound.fetch(url, { method: 'POST', headers, body: payload, signal })
      return answerOf(response, clock)
    } catch (error) {
      return brokenOf(error, outbound.privateAddressesAllowed)
    }
  }
}

const gone = 410

function answerOf({ ok, status, headers }: Response, clock: Clock): WebhookResponse {
  const answer = { http_status: status, retryAfterMs: null }
  if (ok) return { ...answer, outcome: 'delivered', error: null }
  if (status === gone)
    return { ...answer, outcome: 'gone', error: 'the receiver responded with 410' }
  const isElsewhere = status >= 300 && status < 400
  const error = isElsewhere
    ? `the receiver responded with ${status}; redirects are not followed`
    : `the receiver responded with ${status}`
  return { outcome: 'failed', http_status: status, error, retryAfterMs: waitOf(headers, clock) }
}

/** @param isPrivate whether the receiver can have a private address */
function brokenOf(error: unknown, isPrivate: boolean): WebhookResponse {
  const isLate = (error as Error).name === 'TimeoutError'
  if (!isLate && !(error instanceof OutboundError)) throw error
  const outcome = isRefused(error) ? 'refused' : 'failed'
  return { outcome, http_status: null, error: reasonOf(error, isPrivate), retryAfterMs: null }
}

function isRefused(error: unknown): boolean {
  return error instanceof OutboundError && error.code === 'address_refused'
}

/**
 * Describes the failure. If receivers can have private addresses, all network failures have the
 * same text, because different texts would reveal open ports.
 */
function reasonOf(error: unknown, isPrivate: boolean): string {
  if (isRefused(error)) return (error as Error).message
  if (isPrivate) return 'the receiver could not be reached'
  if (error instanceof OutboundError) return error.message
  return `no complete response in ${webhookTimeoutMs / 1000} seconds`
}

/**
 * Returns the delay from Retry-After (seconds or a date) in milliseconds; null if the header is
 * absent or invalid.
 */
function waitOf(headers: Headers, clock: Clock): number | null {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - clock.now())
}
