/** Key problem: rejects a request after the secret of its API key was verified, for example because
 * the key has expired. Carries the principal, so that the rejection can be attributed to the key's
 * owner.
 */
import { Problem } from '../core/problem.ts'
import type { ProblemCode, ProblemOptions } from '../core/problem.ts'
import type { KeyPrincipal } from '../core/principal.ts'

export class KeyProblem extends Problem {
  readonly principal: KeyPrincipal

  constructor(principal: KeyPrincipal, code: ProblemCode, options: ProblemOptions) {
    super(code, options)
    this.principal = principal
  }
}
