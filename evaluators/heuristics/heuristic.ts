/** Kind `heuristic`: selects the check that a configuration names. */
import type { Kind } from '../kind.ts'
import { checkNames, checkTable } from './check-table.ts'
import type { CheckName } from './check-table.ts'

/** Returns the check that a configuration names, or null if it does not exist. */
export function checkOf(config: Readonly<Record<string, unknown>>): Kind | null {
  const name = config['check']
  if (typeof name !== 'string' || !Object.hasOwn(checkTable, name)) return null
  const check = checkTable[name as CheckName] as Kind
  return {
    ...check,
    properties: { check: { const: name }, ...check.properties },
    required: ['check', ...(check.required ?? [])]
  }
}

export const unknownCheck = `must be one of ${checkNames.join(', ')}`
