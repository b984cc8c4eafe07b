/** Principals: the caller of a request, an API key of an agent or a session of a user. */
import type { ApiKeyScope } from './ids/api-key.ts'

/** An agent's key: what it may do and whose it is. */
export interface KeyPrincipal {
  readonly kind: 'api_key'
  readonly organization_id: string
  readonly key_id: string
  readonly scopes: readonly ApiKeyScope[]
  /** The organization's own limit; null follows the configuration. */
  readonly rate_limit_points: number | null
  /** The key's own limit beside the organization's; null is none. */
  readonly key_rate_limit_points: number | null
}

/** A person who logged in. */
export interface SessionPrincipal {
  readonly kind: 'session'
  readonly organization_id: string
  readonly user_id: string
  /** As it is now, whatever the token says. */
  readonly role: string
  readonly session_id: string
}

export type Principal = KeyPrincipal | SessionPrincipal
