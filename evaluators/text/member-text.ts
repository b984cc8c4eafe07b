/** Finds a member of a JSON object by its path and returns its text as written. */
import { scanMembers, skipSpace } from '../../core/json/json-members.ts'
import { valueDepthMax } from './json-value.ts'

const openBrace = 123

/**
 * Returns the JSON text of the member at a path such as `expected` or `order.id`, or null. At each
 * level, a member with the entire remaining path as its name takes precedence. Escaped names are
 * decoded, and numbers keep their digits.
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

/** Returns the members by name. If a name occurs twice, its last member counts. */
function membersOf(json: string): ReadonlyMap<string, string> {
  const start = skipSpace(json, 0)
  if (json.charCodeAt(start) !== openBrace) return new Map()
  const { members } = scanMembers(json, start, valueDepthMax)
  return new Map(members.map(({ name, start: from, end }) => [name, json.slice(from, end)]))
}

/** Returns the content of a JSON string, or any other value as written. */
export function plainTextOf(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}
