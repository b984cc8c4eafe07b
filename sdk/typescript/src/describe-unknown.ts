/** Describes an unknown name and suggests the known name it resembles. */

/**
 * Length of the compared start of a name, as a fraction of the known name's length. A known name
 * that has the same start is suggested.
 */
const matchShare = 0.7

export function describeUnknown(kind: string, name: string, known: readonly string[]): string {
  // A line break in the name would split the log line.
  const shown = name.slice(0, 40).replace(/\s/gu, ' ')
  const meant = known.find((other) => {
    return simple(other).startsWith(simple(shown).slice(0, other.length * matchShare))
  })
  return `unknown ${kind} ${shown}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`
}

function simple(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
