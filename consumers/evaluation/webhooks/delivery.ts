/** A delivery on its way to a webhook, and what may become of it. */
import { backoffMs } from '../../../core/backoff.ts'
import type { WebhookAnswer } from '../../../platform/http-client/post-webhook.ts'

/** Names a delivery, and a job of the queue. */
export type DeliveryKey = {
  readonly organization_id: string
  readonly delivery_id: string
}

/** One that is ours to send for as long as its lease lasts. */
export interface ClaimedDelivery extends DeliveryKey {
  readonly webhook_id: string
  readonly event: string
  readonly payload: string
  /** This one included. */
  readonly attempts: number
  readonly expires_in_ms: number
  readonly url: string
  readonly secret_sealed: Buffer
  /** Null unless receivers may still know the one before. */
  readonly secret_before_sealed: Buffer | null
}

/**
 * Longer than any attempt takes. Whoever sends is killed: after so long somebody else may send it
 * again, under the same id.
 */
export const leaseSeconds = 20
export const attemptsMax = 12
/** So many deliveries that failed for good, and none that did not, switch the webhook off. */
export const failuresMax = 20
/** After so many attempts in a row that failed, a webhook has one delivery out at a time. */
export const failedAttemptsMax = 3

/**
 * Four times as long after each attempt: with the last of them a receiver may have been away for
 * hours, and one that was away for a moment hears soon.
 */
const backoff = { baseMs: 5000, capMs: 3_600_000, factor: 4 }

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly waitMs: number }
  /** With what the webhook itself is switched off at once for. */
  | { readonly kind: 'failed'; readonly disabledReason: string | null }

/** What follows from an answer. `random` is in [0, 1). */
export function verdictOn(
  delivery: Pick<ClaimedDelivery, 'attempts' | 'expires_in_ms'>,
  answer: Pick<WebhookAnswer, 'outcome' | 'retryAfterMs'>,
  random: number
): Verdict {
  if (answer.outcome === 'delivered') return { kind: 'delivered' }
  if (answer.outcome === 'gone') return { kind: 'failed', disabledReason: 'gone' }
  const waitMs = Math.max(backoffMs(backoff, delivery.attempts, random), answer.retryAfterMs ?? 0)
  const isOver = delivery.attempts >= attemptsMax || waitMs >= delivery.expires_in_ms
  if (answer.outcome === 'refused' || isOver) return { kind: 'failed', disabledReason: null }
  return { kind: 'retry', waitMs }
}
