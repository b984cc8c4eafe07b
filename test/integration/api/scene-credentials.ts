/** Creates the credentials of a scene: sessions in any organization, one for each role, and API
 * keys of one organization.
 */
import { randomUUID } from 'node:crypto'
import { createApiKey, secretDigestOf } from '../../../core/ids/api-key.ts'
import type { ApiKeyScope } from '../../../core/ids/api-key.ts'
import { userRoles } from '../../../core/user-role.ts'
import type { UserRole } from '../../../core/user-role.ts'
import type { FindApiKey } from '../../../auth/api-keys.ts'
import { systemClock } from '../../../platform/process/clock.ts'
import { createSessionTokens } from '../../../platform/security/session-token.ts'
import type { TestDatabase } from '../../support/database.ts'

/** A well-formed hash that no password matches. */
const absentHash = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** An access token for each role. */
export type Tokens = Readonly<Record<UserRole, string>>

/** Creates sessions in the same way as a login, for one user of each role in an organization. */
export function createTestSessions(database: TestDatabase, signingKey: string) {
  const sessionTokens = createSessionTokens({ signingKey, clock: systemClock })
  const known = new Map<string, Promise<Tokens>>()

  async function logIn(organization_id: string, role: UserRole): Promise<[UserRole, string]> {
    const [user_id, session_id] = [randomUUID(), randomUUID()]
    await database.query(
      `with inserted as (
         insert into users (user_id, email, name, password_hash) values ($1, $2, $3, $6)
       ), membership as (
         insert into memberships (organization_id, user_id, role) values ($4, $1, $3)
       )
       insert into sessions (session_id, user_id, organization_id, expires_at, ends_at)
       values ($5, $1, $4, now() + interval '1 hour', now() + interval '1 day')`,
      [user_id, `${user_id}@example.com`, role, organization_id, session_id, absentHash]
    )
    return [role, sessionTokens.sign({ user_id, organization_id, role, session_id })]
  }

  async function logInEach(organization_id: string): Promise<Tokens> {
    await database.query(
      `insert into organizations (organization_id, name) values ($1, 'Example')
       on conflict do nothing`,
      [organization_id]
    )
    const entries = await Promise.all(userRoles.map((role) => logIn(organization_id, role)))
    return Object.fromEntries(entries) as Tokens
  }

  return {
    logInAll: (organizationId: string): Promise<Tokens> => {
      const tokens = known.get(organizationId) ?? logInEach(organizationId)
      known.set(organizationId, tokens)
      return tokens
    }
  }
}

/** Creates API keys that the gateway finds as if they were stored. */
export function createKeys(organization_id: string, pepper: string) {
  const rows = new Map<string, ReturnType<FindApiKey>>()
  const limits = { rate_limit_points: null, key_rate_limit_points: null }
  return {
    find: (keyId: string) => rows.get(keyId) ?? null,
    create: (...scopes: ApiKeyScope[]): string => {
      const { key_id, secret, api_key } = createApiKey('test')
      rows.set(key_id, {
        ...{ secret_digest: secretDigestOf(pepper, secret), expires_at: null, revoked_at: null },
        principal: { kind: 'api_key', organization_id, key_id, scopes, ...limits }
      })
      return api_key
    }
  }
}
