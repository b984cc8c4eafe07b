/** GET /v1/auth/.well-known/jwks.json: the keys that access tokens are signed with. */
import type { SessionTokens } from '../../../platform/session-token.ts'
import { jsonReply } from '../../call.ts'
import type { PublicHandle } from '../../route.ts'

export function createShowKeys({ publicKeys }: Pick<SessionTokens, 'publicKeys'>): PublicHandle {
  const reply = jsonReply(200, JSON.stringify({ keys: publicKeys }))
  return () => Promise.resolve(reply)
}
