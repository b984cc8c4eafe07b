/** What to say of a name that nobody knows: the one that was probably meant. */

/** Whose beginning is the same is alike: such a part of it. */
const alike = 0.7

export function tellUnknown(what: string, name: string, known: readonly string[]): string {
  // A line stays one line.
  const shown = name.slice(0, 40).replace(/\s/gu, ' ')
  const meant = known.find((other) => {
    return simple(other).startsWith(simple(shown).slice(0, other.length * alike))
  })
  return `${what} ${shown} is not known${meant === undefined ? '' : `: did you mean ${meant}?`}`
}

function simple(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
