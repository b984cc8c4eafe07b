/** How changes of what an organization configures are refused. */
import { Problem } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'
import { sentenceOf } from '../../auth/checked.ts'

export function invalidBody(errors: readonly Violation[]): Problem {
  return new Problem('invalid_body', { detail: sentenceOf('The body', errors), errors })
}

export function nameTaken(name: string): Problem {
  const detail = `Another one is called ${JSON.stringify(name)}; names are told apart.`
  return new Problem('name_taken', { detail })
}

/** @param what in the plural, such as "rules" */
export function limitReached(what: string, limit: number): Problem {
  const detail = `An organization has at most ${limit} ${what}; delete one that is not needed.`
  return new Problem('limit_reached', { detail, members: { limit } })
}

/** @param usedBy each with its id and name */
export function inUse(usedBy: readonly { readonly name: string }[]): Problem {
  const names = usedBy.map(({ name }) => JSON.stringify(name)).join(', ')
  const detail = `It is used by ${names}; change that first.`
  return new Problem('in_use', { detail, members: { used_by: usedBy } })
}

/** @throws {Problem} 404 */
export function existing<T>(kind: keyof typeof notFound, found: T | null, name: string): T {
  if (found !== null) return found
  throw new Problem(notFound[kind], { detail: `There is no ${kind} ${name}.` })
}

const notFound = {
  connection: 'connection_not_found',
  evaluator: 'evaluator_not_found',
  rule: 'rule_not_found',
  webhook: 'webhook_not_found',
  delivery: 'delivery_not_found',
  member: 'member_not_found',
  invite: 'invite_not_found',
  'API key': 'api_key_not_found'
} as const

/** @throws {Problem} 409 */
export function refuseBuiltIn(isBuiltIn: boolean, detail: string): void {
  if (isBuiltIn) throw new Problem('built_in', { detail })
}
