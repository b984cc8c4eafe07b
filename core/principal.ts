/** Principal: the authenticated caller of a request, either a client with an API key or a user with
 * a session.
 */
import type { ApiKeyScope } from './ids/api-key.ts'

/** A client that is authenticated by an API key. */
export interface KeyPrincipal {
  readonly kind: 'api_key'
  readonly organization_id: string
  readonly key_id: string
  readonly scopes: readonly ApiKeyScope[]
  /**
   * Rate limit of the organization in points per window; null if the configured default applies.
   */
  readonly rate_limit_points: number | null
  /** Additional rate limit of the API key in points per window; null if the key has no limit. */
  readonly key_rate_limit_points: number | null
}

/** A user who is logged in. */
export interface SessionPrincipal {
  readonly kind: 'session'
  readonly organization_id: string
  readonly user_id: string
  /** The current role, which may differ from the one in the token. */
  readonly role: string
  readonly session_id: string
}

export type Principal = KeyPrincipal | SessionPrincipal
