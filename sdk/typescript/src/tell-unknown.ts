/** What to say of a name that nobody knows: the one that was probably meant. */

const alikeMax = 3

export function tellUnknown(what: string, name: string, known: readonly string[]): string {
  const shown = name.slice(0, 40)
  const distances = known.map((other) => [distance(simple(shown), simple(other)), other] as const)
  const [nearest] = distances.sort(([one], [other]) => one - other)
  const isAlike = nearest !== undefined && nearest[0] <= alikeMax
  return `${what} ${printable(shown)} is not known${isAlike ? `: did you mean ${nearest[1]}?` : ''}`
}

/** A line stays one line. */
function printable(name: string): string {
  return JSON.stringify(name).slice(1, -1)
}

function simple(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** Levenshtein's. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let line = 1; line <= one.length; line++) {
    const next = [line]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (one[line - 1] === other[column - 1] ? 0 : 1)
      const shifted = Math.min(row[column] ?? 0, next[column - 1] ?? 0) + 1
      next.push(Math.min(replaced, shifted))
    }
    row = next
  }
  return row[other.length] ?? 0
}
