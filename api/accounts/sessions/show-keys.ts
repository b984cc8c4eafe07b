/** GET /v1/auth/.well-known/jwks.json: the keys that access tokens are signed with. */
import type { SessionTokens } from '../../../platform/security/session-token.ts'
import { jsonReply } from '../../../http/call.ts'
import type { PublicHandle } from '../../../http/route.ts'

export function createShowKeys({ publicKeys }: Pick<SessionTokens, 'publicKeys'>): PublicHandle {
  const reply = jsonReply(200, JSON.stringify({ keys: publicKeys }))
  return () => Promise.resolve(reply)
}
