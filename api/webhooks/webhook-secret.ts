/** The secret of a webhook: made here, sealed before it is kept, and shown once. */
import { Problem } from '../../core/problem.ts'
import { SealError } from '../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import {
  newWebhookSecret,
  webhookSecretContextOf
} from '../../platform/http-client/webhook-signature.ts'
import type { StoredWebhook } from './stored-webhook.ts'

export interface MadeSecret {
  readonly secret: string
  readonly sealed: Buffer
}

/** @throws {Problem} 409 where there is no SECRETS_KEY */
export function makeSecret(
  sealer: Sealer | null,
  organizationId: string,
  webhookId: string
): MadeSecret {
  if (sealer === null) throw keyMissing('This gateway has no SECRETS_KEY to keep secrets under')
  const secret = newWebhookSecret()
  return { secret, sealed: sealer.seal(secret, webhookSecretContextOf(organizationId, webhookId)) }
}

/**
 * What a webhook is signed with, the newer first: for a while after it was replaced also the secret
 * before, as in deliveries.
 * @throws {Problem} 409 when one was sealed under another key
 */
export function openSecrets(
  sealer: Sealer | null,
  organizationId: string,
  webhook: Pick<StoredWebhook, 'webhook_id' | 'secret_sealed' | 'secret_before_sealed'>
): readonly string[] {
  const { webhook_id, secret_sealed, secret_before_sealed } = webhook
  if (sealer === null) throw keyMissing('This gateway has no SECRETS_KEY')
  try {
    const context = webhookSecretContextOf(organizationId, webhook_id)
    const before = secret_before_sealed === null ? [] : [secret_before_sealed]
    return [secret_sealed, ...before].map((sealed) => sealer.open(sealed, context))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw keyMissing(`The secret of the webhook cannot be opened: ${error.message}; rotate it`)
  }
}

function keyMissing(reason: string): Problem {
  return new Problem('secrets_key_missing', { detail: `${reason}.` })
}
