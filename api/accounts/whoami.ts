/** GET /v1/auth/whoami: what the credential of the call is, and what it may do. */
import type { Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { KeyPrincipal, SessionPrincipal } from '../../core/principal.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import type { AccountStore } from '../store.ts'

export function createWhoami({ accounts }: { readonly accounts: AccountStore }): PrincipalHandle {
  async function sessionView({ user_id, session_id, role }: SessionPrincipal) {
    const [session] = await accounts.query<{ expires_at: Date } & Row>(
      `select expires_at from sessions where session_id = $1`,
      [session_id]
    )
    const expires_at = session?.expires_at ?? null
    return { kind: 'session', user_id, session_id, role, expires_at }
  }

  async function keyView({ key_id, scopes }: KeyPrincipal) {
    const [key] = await accounts.query<{ name: string; expires_at: Date | null } & Row>(
      `select name, expires_at from api_keys where key_id = $1`,
      [key_id]
    )
    const { name = null, expires_at = null } = key ?? {}
    return { kind: 'api_key', key_id, name, scopes, expires_at }
  }

  return async function whoami({ principal }) {
    const { organization_id: id } = principal
    const [organization] = await accounts.query<{ id: string; name: string } & Row>(
      `select organization_id as id, name from organizations where organization_id = $1`,
      [id]
    )
    const view = await (principal.kind === 'session' ? sessionView(principal) : keyView(principal))
    return jsonReply(
      200,
      JSON.stringify({ organization: organization ?? { id, name: '' }, ...view })
    )
  }
}
