/** Ends sessions of a person; what they have signed is refused within seconds. */
import type { Queryable } from '../../../platform/postgres/postgres.ts'

export interface Revocation {
  readonly user_id: string
  readonly reason: 'logout' | 'password' | 'user'
  /** Only this one; null is all. */
  readonly only: string | null
  /** All but this one; null spares none. */
  readonly except: string | null
}

/** @returns the ids of those that lived until now */
export async function revokeSessions(
  transaction: Queryable,
  { user_id, reason, only, except }: Revocation
): Promise<readonly string[]> {
  const rows = await transaction.query<{ session_id: string }>(
    `update sessions set revoked_at = now(), revoked_reason = $2
      where user_id = $1 and revoked_at is null and expires_at > now()
        and ($3::uuid is null or session_id = $3) and ($4::uuid is null or session_id <> $4)
      returning session_id`,
    [user_id, reason, only, except]
  )
  return rows.map(({ session_id }) => session_id)
}
