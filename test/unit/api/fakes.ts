/** Builds calls and services for handlers, and returns the problems that handlers throw. */
import { Problem } from '../../../core/problem.ts'
import type { Principal, SessionPrincipal } from '../../../core/principal.ts'
import type { Services } from '../../../api/services.ts'
import { reply } from '../../../http/call.ts'
import type { Call } from '../../../http/call.ts'
import type { CheckedCall } from '../../../http/route.ts'

export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'
export const decisionId = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
export const claims = {
  organization_id: organizationId,
  user_id: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  role: 'owner',
  session_id: '01938c4e-3333-7000-8000-5b7a9f002f6d'
}

export const person: SessionPrincipal = { kind: 'session', ...claims }

export function callOf(members: Partial<Call> = {}): Call {
  return {
    request_id: 'request-1',
    remote_address: '192.0.2.1',
    headers: {},
    params: {},
    query: {},
    useBody: (_limits, use) => use(Buffer.alloc(0)),
    body_bytes: 0,
    signal: new AbortController().signal,
    ...members
  }
}

export function checkedCallOf<P extends Principal | null>(
  principal: P,
  members: Partial<CheckedCall> = {}
): CheckedCall<P> {
  return { ...callOf(), body: undefined, reply, ...members, principal }
}

/** Returns services that have only the members that a test needs. */
export function servicesOf(members: {
  readonly [Name in keyof Services]?: Partial<Services[Name]>
}): Services {
  return members as unknown as Services
}

/** Returns the problem that `outcome` throws or rejects with. */
export async function problemOf(outcome: Promise<unknown> | (() => unknown)): Promise<Problem> {
  try {
    await (typeof outcome === 'function' ? outcome() : outcome)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('the call was not rejected')
}
