/** POST /v1/auth/invites/accept: somebody with an account joins another organization. */
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import type { Store } from '../../store.ts'
import { auditOriginOf } from '../record-audit.ts'
import { redeemInvite } from './redeem-invite.ts'

export function createAcceptInvite({ store }: { readonly store: Store }): SessionHandle {
  return async function acceptInvite(call) {
    const { token } = call.body as { readonly token: string }
    const { user_id } = call.principal
    const { address, requestId } = auditOriginOf(call)
    const joined = await store.accounts.change(async (transaction) => {
      const [user] = await transaction.query<{ email: string }>(
        `select email from users where user_id = $1`,
        [user_id]
      )
      const email = user?.email ?? ''
      return redeemInvite(transaction, { token, user_id, email, address, requestId })
    })
    return jsonReply(200, JSON.stringify(joined))
  }
}
