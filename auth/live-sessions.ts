/** Looks up whether a session is still live and which role its user has now, because an access
 * token can be 15 minutes old.
 */
import { createCache } from '../platform/process/cache.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'
import type { SessionClaims } from '../platform/security/session-token.ts'

export interface LiveSessions {
  /**
   * Returns the user's current role, or null if the session has ended or the user is not a member.
   * @throws {Problem} 503 if the role is not cached and the database is unavailable
   */
  roleOf(claims: SessionClaims): Promise<string | null>
  /** Discards the cached roles of a user after a session or membership has changed. */
  forget(userId: string): void
}

interface LiveSessionsDependencies {
  readonly accounts: Queryable
  /** Monotonic time in milliseconds. */
  readonly elapsedMs: () => number
}

/**
 * How long a role is cached, in milliseconds. Revocation must take effect within five seconds; the
 * remaining half second is for the lookup.
 */
export const cachedMs = 4500
const sessionsMax = 10_000

/**
 * A role and the time at which its lookup began. The role may not reflect changes made after that
 * time.
 */
interface CachedRole {
  readonly role: string | null
  readonly requestedAt: number
}

export function createLiveSessions(dependencies: LiveSessionsDependencies): LiveSessions {
  const { accounts, elapsedMs } = dependencies
  const known = createCache<CachedRole>(sessionsMax)
  const forgotten = createCache<{ readonly at: number }>(sessionsMax)
  const fetching = new Map<string, Promise<CachedRole>>()

  function isFresh({ requestedAt }: CachedRole, userId: string): boolean {
    const forgottenAt = forgotten.get(userId)?.at ?? Number.NEGATIVE_INFINITY
    return elapsedMs() - requestedAt < cachedMs && requestedAt > forgottenAt
  }

  async function fetchRole(key: string, claims: SessionClaims): Promise<CachedRole> {
    const requestedAt = elapsedMs()
    try {
      const found = { role: await selectRole(accounts, claims), requestedAt }
      known.set(key, found)
      return found
    } finally {
      fetching.delete(key)
    }
  }

  return {
    roleOf: async (claims) => {
      const { session_id, organization_id, user_id } = claims
      const key = `${session_id} ${organization_id} ${user_id}`
      const before = known.get(key)
      if (before !== undefined && isFresh(before, user_id)) return before.role
      const begun = fetching.get(key) ?? fetchRole(key, claims)
      fetching.set(key, begun)
      return (await begun).role
    },
    forget: (userId) => {
      forgotten.set(userId, { at: elapsedMs() })
      for (const key of fetching.keys()) if (key.endsWith(userId)) fetching.delete(key)
    }
  }
}

async function selectRole(accounts: Queryable, claims: SessionClaims): Promise<string | null> {
  const { session_id, user_id, organization_id } = claims
  const rows = await accounts.query<{ role: string } & Row>(
    `select m.role
       from sessions s join memberships m on m.user_id = s.user_id and m.organization_id = $3
      where s.session_id = $1 and s.user_id = $2
        and s.revoked_at is null and s.expires_at > now() and s.ends_at > now()`,
    [session_id, user_id, organization_id]
  )
  return rows[0]?.role ?? null
}
