/** `sluice keys revoke`: a key ends now, everywhere. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { selectKey } from '../keys/key-table.ts'
import type { KeyRow } from '../keys/key-table.ts'
import { notTold, tellKeyChange } from '../keys/tell-key-change.ts'
import { withPostgres } from '../with-postgres.ts'

export interface RevokeKeyOptions {
  readonly json?: boolean
}

export interface RevokeKeyRequest {
  readonly keyId: string
  readonly options: RevokeKeyOptions
}

export async function revokeKey(
  environment: Environment,
  { keyId, options }: RevokeKeyRequest,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, [
    ...(['DATABASE_URL', 'DATABASE_TLS_CA', 'REDIS_URL', 'REDIS_TLS_CA'] as const)
  ])
  const before = await withPostgres(config, (postgres) =>
    postgres.transaction((transaction) => revoke(transaction, keyId))
  )
  // Told again as well: whoever repeats a command does so because it had no effect.
  const isTold = await tellKeyChange(config, keyId)
  const wasRevoked = before.revoked_at !== null
  if (options.json === true) {
    return write(JSON.stringify({ key_id: keyId, was_revoked: wasRevoked, gateways_told: isTold }))
  }
  if (wasRevoked) write(`${keyId} was revoked at ${before.revoked_at.toISOString()}.`)
  else write(`${keyId} is revoked.`)
  write(isTold ? 'Gateways were told.' : notTold)
}

/** @returns the key as it was before. */
async function revoke(transaction: Queryable, keyId: string): Promise<KeyRow> {
  const row = await selectKey(transaction, keyId)
  const statement = `update api_keys set revoked_at = now()
                      where key_id = $1 and revoked_at is null`
  await transaction.query(statement, [keyId])
  return row
}
