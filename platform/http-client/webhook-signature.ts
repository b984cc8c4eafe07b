/** Creates webhook signatures and secrets as specified by standardwebhooks.com. */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const prefix = 'whsec_'
const secretBytes = 32

/**
 * Creates a secret in the format that receiver libraries expect: `whsec_` and 32 random bytes in
 * base64.
 */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

interface WebhookMessage {
  readonly id: string
  /** Time of sending. It is signed, so that receivers can reject replayed deliveries. */
  readonly sentAt: Date
  readonly payload: string
}

/**
 * Returns the headers with one signature per secret. During a rotation, a receiver needs to verify
 * only one of them.
 */
export function webhookHeadersOf(message: WebhookMessage, secrets: readonly string[]) {
  const { id, sentAt, payload } = message
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, sentAt, payload))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' ')
  }
}
