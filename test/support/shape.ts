/** Whether an answer has the form of an example: its members and the kinds of their values. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * Paths of what the example shows and the answer has not, or has as something else. An answer may
 * have more; null fits everything, since it only says that something is not known or not there. Of
 * lists the first items are compared.
 */
export function differencesOf(example: Json, answer: Json | undefined, path = ''): string[] {
  const name = path === '' ? 'the answer' : path
  if (answer === undefined) return [`${name} is missing`]
  if (example === null || answer === null) return []
  if (kindOf(example) !== kindOf(answer)) {
    return [`${name} is of the kind ${kindOf(answer)}, not ${kindOf(example)}`]
  }
  return membersOf(example).flatMap(([member, value]) =>
    differencesOf(value, Object.fromEntries(membersOf(answer))[member], `${path}/${member}`)
  )
}

function membersOf(value: Json): readonly (readonly [string, Json])[] {
  if (isList(value)) return value.slice(0, 1).map((item) => ['0', item])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function kindOf(value: Json): string {
  return isList(value) ? 'list' : typeof value
}
