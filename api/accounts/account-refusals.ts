/** What is wrong with an email or a password that somebody wants to have. */
import { emailObjection, passwordObjection } from '../../core/account-rules.ts'
import type { Violation } from '../../core/problem.ts'
import { invalidBody } from '../configuration/refusals.ts'

/** @throws {Problem} 422 with all that is wrong */
export function refuseViolations(violations: readonly (Violation | null)[]): void {
  const errors = violations.filter((violation) => violation !== null)
  if (errors.length > 0) throw invalidBody(errors)
}

/** @param email normalized */
export function emailViolation(email: string): Violation | null {
  const detail = emailObjection(email)
  return detail === null ? null : { pointer: '/email', detail }
}

export interface WantedPassword {
  readonly pointer: string
  readonly password: string
  /** Normalized. */
  readonly email: string
}

export function passwordViolation(wanted: WantedPassword): Violation | null {
  const detail = passwordObjection(wanted.password, wanted.email)
  return detail === null ? null : { pointer: wanted.pointer, detail }
}
