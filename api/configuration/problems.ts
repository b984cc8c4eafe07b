/** Creates the problems of configuration requests. */
import { Problem, sentenceOf } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'

export function invalidBody(errors: readonly Violation[]): Problem {
  return new Problem('invalid_body', { detail: sentenceOf('The body', errors), errors })
}

/** @throws {Problem} 422 if there are violations */
export function refuseBody(violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalidBody(violations)
}

/** @param objection a predicate, for example "must have …"; null if there is none */
export function violationAt(pointer: string, objection: string | null): Violation[] {
  return objection === null ? [] : [{ pointer, detail: objection }]
}

/** @throws {Problem} 409 if another resource of this type already has the name */
export function refuseName(name: string, others: readonly { readonly name: string }[]): void {
  if (!others.some((other) => other.name === name)) return
  const detail = `The name ${JSON.stringify(name)} is already in use.`
  throw new Problem('name_taken', { detail })
}

/** @param what a plural noun, for example "rules" */
export function limitReached(what: string, limit: number): Problem {
  const detail = `An organization can have at most ${limit} ${what}. Remove one first.`
  return new Problem('limit_reached', { detail, members: { limit } })
}

/**
 * @param usedBy the resources that refer to this one, each with an id and a name
 * @throws {Problem} 409 if `usedBy` is not empty
 */
export function refuseUsed(usedBy: readonly { readonly name: string }[]): void {
  if (usedBy.length === 0) return
  const names = usedBy.map(({ name }) => JSON.stringify(name)).join(', ')
  const detail = `Still in use by ${names}. Change or delete these first.`
  throw new Problem('in_use', { detail, members: { used_by: usedBy } })
}

/** @throws {Problem} 404 if `found` is null or undefined */
export function requireFound<T>(
  kind: keyof typeof notFound,
  found: T | null | undefined,
  name: string
): T {
  if (found !== null && found !== undefined) return found
  throw new Problem(notFound[kind], { detail: `The ${kind} ${name} does not exist.` })
}

const notFound = {
  connection: 'connection_not_found',
  evaluator: 'evaluator_not_found',
  rule: 'rule_not_found',
  webhook: 'webhook_not_found',
  delivery: 'delivery_not_found',
  run: 'run_not_found',
  deletion: 'deletion_not_found',
  member: 'member_not_found',
  invite: 'invite_not_found',
  'API key': 'api_key_not_found'
} as const

/** @throws {Problem} 409 if `isBuiltIn` */
export function refuseBuiltIn(isBuiltIn: boolean, detail: string): void {
  if (isBuiltIn) throw new Problem('built_in', { detail })
}
