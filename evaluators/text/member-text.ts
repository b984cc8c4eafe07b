/** A member of a JSON object as it was written, found by its path. */
import { scanMembers, skipSpace } from '../../core/json/json-members.ts'
import { valueDepthMax } from './json-value.ts'

const openBrace = 123

/**
 * The JSON text of the member at a path such as `expected` or `order.id`, or null when there is
 * none. A member whose name is the whole rest of the path goes first. Names are read right whatever
 * their escapes, and numbers keep their digits.
 */
export function memberTextOf(json: string, path: string): string | null {
  let text = json
  let rest = path
  for (;;) {
    const members = membersOf(text)
    const whole = members.get(rest)
    if (whole !== undefined) return whole
    const dot = rest.indexOf('.')
    const next = dot < 0 ? undefined : members.get(rest.slice(0, dot))
    if (next === undefined) return null
    text = next
    rest = rest.slice(dot + 1)
  }
}

/** Of members with one name the last one counts, as everywhere. */
function membersOf(json: string): ReadonlyMap<string, string> {
  const start = skipSpace(json, 0)
  if (json.charCodeAt(start) !== openBrace) return new Map()
  const { members } = scanMembers(json, start, valueDepthMax)
  return new Map(members.map(({ name, start: from, end }) => [name, json.slice(from, end)]))
}

/** The text that a JSON text stands for: a string's own, of anything else how it was written. */
export function plainTextOf(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}
