/** Signatures of webhooks, as standardwebhooks.com has them, and the secrets behind them. */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const prefix = 'whsec_'
const secretBytes = 32

/** `whsec_` and base64, the form that libraries of receivers take. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

/** What the secret of a webhook is bound to: in a row of another one it stays shut. */
export function webhookSecretContextOf(organizationId: string, webhookId: string): string {
  return `${organizationId}/${webhookId}`
}

export interface WebhookMessage {
  readonly id: string
  /** When it is sent, which is signed as well, so that nobody can send it again for ever. */
  readonly sentAt: Date
  readonly payload: string
}

/** Of each secret one signature: while secrets change, either is enough for the receiver. */
export function webhookHeadersOf(message: WebhookMessage, secrets: readonly string[]) {
  const { id, sentAt, payload } = message
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, sentAt, payload))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' ')
  }
}
