/** Compares the shape of a response with an example: its members and their types. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * Returns the paths of members that are missing from the response or have another type. Additional
 * members are allowed, null matches every type, and only the first item of an array is compared.
 */
export function differencesOf(example: Json, answer: Json | undefined, path = ''): string[] {
  const name = path === '' ? 'the response' : path
  if (answer === undefined) return [`${name} is missing`]
  if (example === null || answer === null) return []
  if (kindOf(example) !== kindOf(answer)) {
    return [`${name} has the type ${kindOf(answer)}, not ${kindOf(example)}`]
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
