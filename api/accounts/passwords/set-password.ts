/** Writes the hash of a new password. */
import { Problem } from '../../../core/problem.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'

export interface SetPassword {
  readonly user_id: string
  readonly password_hash: string
  /** The hash that was checked; null where a letter stood for it. */
  readonly before: string | null
}

/** What letters gave to set one is over with it. @throws {Problem} 422 when it is another by now */
export async function setPassword(
  transaction: Queryable,
  { user_id, password_hash, before }: SetPassword
): Promise<void> {
  const changed = await transaction.query(
    `update users set password_hash = $2, password_changed_at = now()
      where user_id = $1 and ($3::text is null or password_hash = $3) returning user_id`,
    [user_id, password_hash, before]
  )
  if (changed.length === 0) {
    const detail = 'The password was changed a moment ago; log in with that one.'
    throw new Problem('invalid_body', {
      detail,
      errors: [{ pointer: '/current_password', detail: 'is not your password any more' }]
    })
  }
  await transaction.query(
    `update email_tokens set used_at = now()
      where user_id = $1 and purpose = 'reset_password' and used_at is null`,
    [user_id]
  )
}
