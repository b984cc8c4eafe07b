/** `sluice keys revoke`: a key ends now, everywhere. */
import { readConfig } from '../../platform/config.ts'
import type { Environment } from '../../platform/config.ts'
import { selectKey } from '../keys/key-table.ts'
import { tellKeyChange } from '../keys/tell-key-change.ts'
import { withPostgres } from '../with-postgres.ts'

export async function revokeKey(
  environment: Environment,
  keyId: string,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, [
    ...(['DATABASE_URL', 'DATABASE_TLS_CA', 'REDIS_URL', 'REDIS_TLS_CA'] as const)
  ])
  const { revoked_at } = await withPostgres(config, (postgres) =>
    postgres.transaction(async (transaction) => {
      const row = await selectKey(transaction, keyId)
      const statement = `update api_keys set revoked_at = now()
                          where key_id = $1 and revoked_at is null`
      await transaction.query(statement, [keyId])
      return row
    })
  )
  // Told again as well: whoever repeats a command does so because it had no effect.
  const isTold = await tellKeyChange(config, keyId)
  if (revoked_at !== null) write(`${keyId} was revoked at ${revoked_at.toISOString()}.`)
  else write(`${keyId} is revoked.`)
  write(
    isTold
      ? 'Gateways were told.'
      : 'Redis does not answer, so gateways were not told; they find out within 5 seconds.'
  )
}
