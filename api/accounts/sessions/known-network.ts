/** Whether an account has logged in from a network within the longest life of a session. */
import type { AccountStore } from '../../store.ts'
import { absoluteSeconds } from './begin-session.ts'

/**
 * The same statement for an email that no account has.
 *
 * @param email normalized
 * @param network as `networkOf` has it
 */
export type IsKnownNetwork = (email: string, network: string) => Promise<boolean>

export function createIsKnownNetwork(accounts: Pick<AccountStore, 'query'>): IsKnownNetwork {
  return async function isKnownNetwork(email, network) {
    const rows = await accounts.query(
      `select 1 from users u join sessions s using (user_id)
        where u.email = $1 and s.network = $2 and s.created_at > now() - make_interval(secs => $3)
        limit 1`,
      [email, network, absoluteSeconds]
    )
    return rows.length > 0
  }
}
