/** The session and its user, for components. */
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { readJson } from '../api/api.ts'
import { forgetSession, keepTokens, session } from './session.ts'
import { tokensOf } from './session-store.ts'
import type { Me } from '../api/wire.ts'

export function useSession() {
  return useSyncExternalStore(session.subscribe, session.get)
}

export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => readJson<Me>({ path: '/v1/auth/me', signal })
  })
}

/** Ends the session at the server and in all tabs. */
export function signOut(): void {
  const revoke = readJson({ path: '/v1/auth/logout', body: {} })
  // Without the server the tokens are forgotten here; the session then ends when it expires.
  void revoke.catch(() => undefined).finally(forgetSession)
}

/** Acts for another organization of the user. */
export async function switchOrganization(organizationId: string): Promise<void> {
  const body = { organization_id: organizationId }
  type Switched = Parameters<typeof tokensOf>[0]
  keepTokens(tokensOf(await readJson<Switched>({ path: '/v1/auth/organization/switch', body })))
}
