/** A refusal of a key that is known: whoever sent it has its secret, so it is known whose it is. */
import { Problem } from '../core/problem.ts'
import type { ProblemCode, ProblemOptions } from '../core/problem.ts'
import type { KeyPrincipal } from '../core/principal.ts'

export class KeyRefusal extends Problem {
  readonly principal: KeyPrincipal

  constructor(principal: KeyPrincipal, code: ProblemCode, options: ProblemOptions) {
    super(code, options)
    this.principal = principal
  }
}
