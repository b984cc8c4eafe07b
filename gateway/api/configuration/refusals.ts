/** How changes of what an organization configures are refused. */
import { Problem } from '../../../core/problem.ts'
import type { Violation } from '../../../core/problem.ts'
import { sentenceOf } from '../checked.ts'

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
