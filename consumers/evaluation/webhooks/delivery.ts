/** Defines webhook deliveries: limits, and the result of an attempt. */
import { backoffMs } from '../../../core/backoff.ts'
import type { WebhookResponse } from '../../../platform/http-client/post-webhook.ts'

/** A delivery that only this process may send until the lease expires. */
export interface TakenDelivery {
  readonly organization_id: string
  readonly delivery_id: string
  readonly webhook_id: string
  /** Timestamp with microseconds, in Postgres's text format. It identifies the lease. */
  readonly taken_at: string
  readonly event: string
  readonly payload: string
  /** Includes the current attempt. */
  readonly attempts: number
  readonly expires_in_ms: number
  readonly url: string
  readonly secret_sealed: Buffer
  /** Previous secret during its grace period, otherwise null. */
  readonly secret_before_sealed: Buffer | null
}

/**
 * Lease duration, longer than any attempt. After the lease expires, another process may send the
 * delivery again with the same ID.
 */
export const leaseSeconds = 20
export const attemptsMax = 12
/** Number of consecutive failed deliveries after which a webhook is disabled. */
export const failuresMax = 20
/**
 * Number of consecutive failed attempts after which a webhook may have only one delivery in flight.
 */
export const failedAttemptsMax = 3

/**
 * Delays quadruple: the first retries follow soon, and the last ones reach a receiver that was down
 * for hours.
 */
const backoff = { baseMs: 5000, capMs: 3_600_000, factor: 4 }

export type DeliveryResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly waitMs: number }
  /** If `disabledReason` is set, the webhook is disabled immediately. */
  | { readonly kind: 'failed'; readonly disabledReason: string | null }

/** @param random a random number in [0, 1) */
export function deliveryResultOf(
  delivery: Pick<TakenDelivery, 'attempts' | 'expires_in_ms'>,
  answer: Pick<WebhookResponse, 'outcome' | 'retryAfterMs'>,
  random: number
): DeliveryResult {
  if (answer.outcome === 'delivered') return { kind: 'delivered' }
  if (answer.outcome === 'gone') return { kind: 'failed', disabledReason: 'gone' }
  const waitMs = Math.max(backoffMs(backoff, delivery.attempts, random), answer.retryAfterMs ?? 0)
  const isOver = delivery.attempts >= attemptsMax || waitMs >= delivery.expires_in_ms
  if (answer.outcome === 'refused' || isOver) return { kind: 'failed', disabledReason: null }
  return { kind: 'retry', waitMs }
}
