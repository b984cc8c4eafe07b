/** `sluice keys revoke`: revokes an API key on all gateways. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { selectKey } from '../keys/key-table.ts'
import type { KeyRow } from '../keys/key-table.ts'
import { notNotified, notifyKeyChange } from '../keys/notify-key-change.ts'
import { withPostgres } from '../with-postgres.ts'

export interface RevokeKeyOptions {
  readonly json?: boolean
}

interface RevokeKeyRequest {
  readonly keyId: string
  readonly options: RevokeKeyOptions
}

export async function revokeKey(
  environment: Environment,
  { keyId, options }: RevokeKeyRequest,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, [
    'DATABASE_URL',
    'DATABASE_TLS_CA',
    'REDIS_URL',
    'REDIS_TLS_CA'
  ])
  const before = await withPostgres(config, (postgres) =>
    postgres.transaction((transaction) => revoke(transaction, keyId))
  )
  // Also notifies the gateways if the key was already revoked, because an operator may repeat the
  // command to make sure.
  const isNotified = await notifyKeyChange(config, keyId)
  const wasRevoked = before.revoked_at !== null
  if (options.json === true) {
    return write(
      JSON.stringify({ key_id: keyId, was_revoked: wasRevoked, gateways_notified: isNotified })
    )
  }
  if (wasRevoked) write(`${keyId} was already revoked at ${before.revoked_at.toISOString()}.`)
  else write(`${keyId} is revoked.`)
  write(isNotified ? 'The gateways were notified.' : notNotified)
}

/** @returns the key as it was before this call */
async function revoke(transaction: Queryable, keyId: string): Promise<KeyRow> {
  const row = await selectKey(transaction, keyId)
  const statement = `update api_keys set revoked_at = now()
                      where key_id = $1 and revoked_at is null`
  await transaction.query(statement, [keyId])
  return row
}
