/** `sluice keys rotate`: creates a replacement for a key. The old key stays valid for a grace
 * period.
 */
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { insertApiKey } from '../../store/insert-api-key.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { hasEnded } from '../keys/key-state.ts'
import { selectKey } from '../keys/key-table.ts'
import type { KeyRow } from '../keys/key-table.ts'
import { notNotified, notifyKeyChange } from '../keys/notify-key-change.ts'
import { withPostgres } from '../with-postgres.ts'

export interface RotateKeyOptions {
  /** Time in milliseconds that the old key stays valid. */
  readonly grace: number
  /** Lifetime of the new key in milliseconds. Default: the lifetime of the old key. */
  readonly expires?: number
  readonly json?: boolean
}

interface RotateKeyRequest {
  readonly keyId: string
  readonly options: RotateKeyOptions
}

export async function rotateKey(
  environment: Environment,
  { keyId, options }: RotateKeyRequest,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, [
    'DATABASE_URL',
    'DATABASE_TLS_CA',
    'API_KEY_PEPPER',
    'REDIS_URL',
    'REDIS_TLS_CA'
  ])
  const rotated = await withPostgres(config, (postgres) =>
    postgres.transaction((transaction) =>
      rotate(transaction, { keyId, options, pepper: config.API_KEY_PEPPER })
    )
  )
  const isNotified = await notifyKeyChange(config, keyId)
  if (options.json === true)
    return write(JSON.stringify({ ...rotated, gateways_notified: isNotified }))
  write(`key_id ${rotated.key_id}`)
  write(`api_key ${rotated.api_key}`)
  write(
    `Save the key now: it is not shown again. ${keyId} stays valid until ` +
      `${rotated.old_expires_at}.`
  )
  if (!isNotified) write(notNotified)
}

async function rotate(transaction: Queryable, request: RotateKeyRequest & { pepper: string }) {
  const { keyId, options, pepper } = request
  const now = systemClock.now()
  const old = await selectKey(transaction, keyId)
  refuseEnded(old, now)
  const created = await insertApiKey(transaction, pepper, {
    ...old,
    expires_at: expiryOf(old, now, options.expires)
  })
  const ends = Math.min(now + options.grace, old.expires_at?.getTime() ?? Infinity)
  await transaction.query(
    `update api_keys set expires_at = $2, replaced_by = $3 where key_id = $1`,
    [keyId, new Date(ends), created.key_id]
  )
  return { ...created, old_expires_at: new Date(ends).toISOString() }
}

function expiryOf(old: KeyRow, now: number, expires: number | undefined): Date | null {
  if (expires !== undefined) return new Date(now + expires)
  if (old.expires_at === null) return null
  return new Date(now + old.expires_at.getTime() - old.created_at.getTime())
}

function refuseEnded(old: KeyRow, now: number): void {
  const { key_id, replaced_by } = old
  if (replaced_by !== null) {
    throw new Error(`${key_id} was already rotated to ${replaced_by}`)
  }
  if (hasEnded(old, now))
    throw new Error(`${key_id} is expired or revoked; create a key with sluice keys create`)
}
