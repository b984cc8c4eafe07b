/** The hashing of passwords as the routes see it: 503 when too many wait for it. */
import { Problem } from '../../../core/problem.ts'
import {
  hashPassword,
  PasswordsBusyError,
  verifyPassword
} from '../../../platform/security/password.ts'
import type { Caller } from '../../../platform/security/password.ts'

/** @throws {Problem} 503 */
export interface Passwords {
  /** Costs the same for null, an account that does not exist. */
  verify(passwordHash: string | null, password: string, caller?: Caller): Promise<boolean>
  hash(password: string, caller?: Caller): Promise<string>
}

export const passwords: Passwords = createPasswords({ verifyPassword, hashPassword })

export function createPasswords(hashing: {
  readonly verifyPassword: typeof verifyPassword
  readonly hashPassword: typeof hashPassword
}): Passwords {
  return {
    verify: (...given) => refuseBusy(hashing.verifyPassword(...given)),
    hash: (...given) => refuseBusy(hashing.hashPassword(...given))
  }
}

async function refuseBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof PasswordsBusyError)) throw cause
    throw new Problem('overloaded', {
      detail: 'Too many people log in at this moment; try again shortly.',
      headers: { 'retry-after': '2' },
      cause
    })
  }
}
