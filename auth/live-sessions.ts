/** Whether a session lives, and as what: its token alone says what was so up to 15 minutes ago. */
import { createCache } from '../platform/process/cache.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'
import type { SessionClaims } from '../platform/security/session-token.ts'

export interface LiveSessions {
  /**
   * The person's role as it is now; null when the session was ended or the person is no member.
   * @throws {Problem} 503 when that is not known and the store is away
   */
  roleOf(claims: SessionClaims): Promise<string | null>
  /** What was known of the person's sessions is asked again: something about them has changed. */
  forget(userId: string): void
}

export interface LiveSessionsDependencies {
  readonly accounts: Queryable
  /** Milliseconds of a clock that never jumps. */
  readonly elapsedMs: () => number
}

/** Whoever is revoked is refused within five seconds; half of one is left for the look-up. */
export const knownMs = 4500
const sessionsMax = 10_000

/** What was found, and when it was asked for: a change since then may not be in it. */
interface Known {
  readonly role: string | null
  readonly askedAt: number
}

export function createLiveSessions(dependencies: LiveSessionsDependencies): LiveSessions {
  const { accounts, elapsedMs } = dependencies
  const known = createCache<Known>(sessionsMax)
  const forgotten = createCache<{ readonly at: number }>(sessionsMax)
  const asking = new Map<string, Promise<Known>>()

  function isFresh({ askedAt }: Known, userId: string): boolean {
    const forgottenAt = forgotten.get(userId)?.at ?? Number.NEGATIVE_INFINITY
    return elapsedMs() - askedAt < knownMs && askedAt > forgottenAt
  }

  async function ask(key: string, claims: SessionClaims): Promise<Known> {
    const askedAt = elapsedMs()
    try {
      const found = { role: await selectRole(accounts, claims), askedAt }
      known.set(key, found)
      return found
    } finally {
      asking.delete(key)
    }
  }

  return {
    roleOf: async (claims) => {
      const { session_id, organization_id, user_id } = claims
      const key = `${session_id} ${organization_id} ${user_id}`
      const before = known.get(key)
      if (before !== undefined && isFresh(before, user_id)) return before.role
      const begun = asking.get(key) ?? ask(key, claims)
      asking.set(key, begun)
      return (await begun).role
    },
    forget: (userId) => {
      forgotten.set(userId, { at: elapsedMs() })
      for (const key of asking.keys()) if (key.endsWith(userId)) asking.delete(key)
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
