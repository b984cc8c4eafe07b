/** A refresh token as it is stored, its session and what has become of both. */
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'

/** Two tabs of a browser, or a try whose answer was lost, ask twice within this. */
export const raceSeconds = 10

export interface RefreshTokenRow extends Row {
  readonly session_id: string
  readonly user_id: string
  readonly organization_id: string
  /** Of its person in its organization, now; null for no member any more. */
  readonly role: string | null
  readonly is_live: boolean
  /** Repeated: used a moment ago, and what followed it is unused yet. */
  readonly state: 'unused' | 'repeated' | 'reused'
}

/** Locked until the transaction ends: of two who use it at once, one waits for the other. */
export async function lockRefreshToken(
  transaction: Queryable,
  digest: Buffer,
  successor: Buffer
): Promise<RefreshTokenRow | null> {
  const [session] = await transaction.query<Row>(
    `select s.session_id from sessions s
      where s.session_id = (select session_id from refresh_tokens where token_digest = $1)
        for no key update`,
    [digest]
  )
  return session === undefined ? null : readRefreshToken(transaction, digest, successor)
}

export async function readRefreshToken(
  accounts: Queryable,
  digest: Buffer,
  successor: Buffer
): Promise<RefreshTokenRow | null> {
  const [row] = await accounts.query<RefreshTokenRow>(
    `select s.session_id, s.user_id, s.organization_id, m.role,
            s.revoked_at is null and s.expires_at > clock_timestamp()
              and s.ends_at > clock_timestamp() as is_live,
            case when t.used_at is null then 'unused'
                 when t.used_at > clock_timestamp() - make_interval(secs => $3)
                      and next.token_digest is not null and next.used_at is null then 'repeated'
                 else 'reused' end as state
       from refresh_tokens t
       join sessions s using (session_id)
       left join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
       left join refresh_tokens next on next.token_digest = $2
      where t.token_digest = $1`,
    [digest, successor, raceSeconds]
  )
  return row ?? null
}
