/** The session and its user, for components. */
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { readJson, readText } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { forgetSession, keepTokens, session } from './session.ts'
import { tokensOf } from './session-store.ts'
import type { Me } from '../api/wire.ts'

export function useSession() {
  return useSyncExternalStore(session.subscribe, session.get)
}

export function useMe() {
  return useQuery({
    // Read again after every change, because a change can affect the role or the organization.
    queryKey: ['read', 'me'],
    queryFn: ({ signal }) => readJson<Me>({ path: '/v1/auth/me', signal })
  })
}

/**
 * Ends the session at the server and then in all tabs.
 * @param all whether to end the sessions in other browsers, too
 * @throws {ApiError} if the server did not end the session; the cookie would still let anyone
 * resume it in this browser
 */
export async function signOut(all: boolean): Promise<void> {
  try {
    await readText({ path: '/v1/auth/logout', body: { all } })
  } catch (error) {
    const isOver = error instanceof ApiError && error.problem.status === 401
    if (!isOver) throw error
  }
  forgetSession()
}

/** Switches the session to another organization of the user. */
export async function switchOrganization(organizationId: string): Promise<void> {
  const body = { organization_id: organizationId }
  type Switched = Parameters<typeof tokensOf>[0]
  keepTokens(tokensOf(await readJson<Switched>({ path: '/v1/auth/organization/switch', body })))
}
