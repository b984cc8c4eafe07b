/** The secret of a webhook: made here, sealed before it is kept, and shown once. */
import { Problem } from '../../../core/problem.ts'
import { SealError } from '../../../platform/sealed-secret.ts'
import type { Sealer } from '../../../platform/sealed-secret.ts'
import { newWebhookSecret, webhookSecretContextOf } from '../../../platform/webhook-signature.ts'

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

/** @throws {Problem} 409 when it was sealed under another key */
export function openSecret(
  sealer: Sealer | null,
  organizationId: string,
  { webhook_id, secret_sealed }: { readonly webhook_id: string; readonly secret_sealed: Buffer }
): string {
  if (sealer === null) throw keyMissing('This gateway has no SECRETS_KEY')
  try {
    return sealer.open(secret_sealed, webhookSecretContextOf(organizationId, webhook_id))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw keyMissing(`The secret of the webhook cannot be opened: ${error.message}; rotate it`)
  }
}

function keyMissing(reason: string): Problem {
  return new Problem('secrets_key_missing', { detail: `${reason}.` })
}
