/** An API key for one use, that nobody is shown. */
import { insertApiKey } from '../../store/insert-api-key.ts'
import { recordAudit } from '../organization/record-audit.ts'
import type { AuditOrigin } from '../organization/record-audit.ts'
import type { OrganizationStore } from '../store.ts'

export interface PassingKeyOptions {
  readonly store: OrganizationStore
  readonly pepper: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly origin: AuditOrigin
}

/** Also where it could not be revoked. */
const livesMs = 60_000
const name = 'test event'

export async function withPassingKey<T>(
  options: PassingKeyOptions,
  work: (apiKey: string) => Promise<T>
): Promise<T> {
  const { key_id, api_key } = await makeKey(options)
  try {
    return await work(api_key)
  } finally {
    // What was sent is sent; a key that could not be revoked ends by itself.
    await revokeKey(options, key_id).catch(() => {})
  }
}

function makeKey({ store, pepper, now, origin }: PassingKeyOptions) {
  return store.change(async (transaction) => {
    const key = await insertApiKey(transaction, pepper, {
      organization_id: store.organizationId,
      ...{ name, environment: 'test', scopes: ['ingest'], rate_limit_points: null },
      expires_at: new Date(now + livesMs),
      created_by: origin.actor.kind === 'user' ? origin.actor.id : null
    })
    const target = { kind: 'api_key', id: key.key_id }
    const details = { name, scopes: ['ingest'], lives_seconds: livesMs / 1000 }
    await recordAudit(transaction, { ...origin, action: 'api_key.created', target, details })
    return key
  })
}

function revokeKey({ store, origin }: PassingKeyOptions, key_id: string): Promise<void> {
  return store.change(async (transaction) => {
    await transaction.query(
      'update api_keys set revoked_at = now() where organization_id = $1 and key_id = $2',
      [store.organizationId, key_id]
    )
    const target = { kind: 'api_key', id: key_id }
    await recordAudit(transaction, { ...origin, action: 'api_key.revoked', target })
  })
}
