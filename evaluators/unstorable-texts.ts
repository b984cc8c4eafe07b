/** Finds strings that Postgres cannot store, at any depth of a request body. */
import { pointerTo } from '../core/json/json-pointer.ts'
import type { Violation } from '../core/problem.ts'

const detail = 'must not contain U+0000 or an unpaired surrogate'

/**
 * Returns a violation for each string that Postgres cannot store.
 * @param value a JSON value that nests at most as deeply as request bodies
 */
export function unstorableTexts(value: unknown, pointer = ''): Violation[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [{ pointer, detail }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    // Reports an unstorable name at its object, because the pointer cannot contain it.
    ...(isStorable(name) ? [] : [{ pointer, detail: `has a name that ${detail}` }]),
    ...unstorableTexts(member, pointer + pointerTo(isStorable(name) ? name : '?'))
  ])
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}
