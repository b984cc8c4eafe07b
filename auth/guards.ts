/** Who may call a route: each guard puts a handler behind its check. */
import type { ApiKeyScope, NeededScope } from '../core/ids/api-key.ts'
import type { UserRole } from '../core/user-role.ts'
import type { Checked } from './checked.ts'
import type { Credential, Handle, KeyHandle, Operation } from '../http/route.ts'
import type { PrincipalHandle, PublicHandle, Route, SessionHandle } from '../http/route.ts'

export interface Guarded {
  readonly credential: Credential
  readonly operation: Operation
  readonly handle: Handle
}

/** A line of the route table. */
export type Row = readonly [Route['method'], string, Guarded]

export type Guards = ReturnType<typeof createGuards>

export function createGuards(checked: Checked) {
  return {
    /** The ingest line authenticates and checks by itself, step by step. */
    line: (scope: ApiKeyScope, operation: Operation, handle: Handle): Guarded => {
      return { credential: { kind: 'api_key', scope }, operation, handle }
    },
    key: (scope: ApiKeyScope, operation: Operation, handle: KeyHandle): Guarded => {
      const credential = { kind: 'api_key', scope } as const
      return { credential, operation, handle: checked({ credential, operation }, handle) }
    },
    anyone: (operation: Operation, handle: PublicHandle): Guarded => {
      const credential = { kind: 'none' } as const
      return { credential, operation, handle: checked({ credential, operation }, handle) }
    },
    session: (operation: Operation, handle: SessionHandle): Guarded => {
      const credential = { kind: 'session' } as const
      return { credential, operation, handle: checked({ credential, operation }, handle) }
    },
    sessionAs:
      (role: UserRole) =>
      (operation: Operation, handle: SessionHandle): Guarded => {
        const credential = { kind: 'session', role } as const
        return { credential, operation, handle: checked({ credential, operation }, handle) }
      },
    /** A key needs that scope, or any of them. */
    sessionOr:
      (scope: NeededScope) =>
      (operation: Operation, handle: PrincipalHandle): Guarded => {
        const credential = { kind: 'session_or_api_key', scope } as const
        return { credential, operation, handle: checked({ credential, operation }, handle) }
      }
  }
}
