/** Compares two lists of lines by their longest common subsequence. */

export interface DiffPart {
  readonly kind: 'same' | 'left' | 'right'
  readonly lines: readonly string[]
}

/** Maximum size of the table, to limit time and memory. Larger parts are shown as different. */
const cellsMax = 4_000_000

export function diffLines(left: readonly string[], right: readonly string[]): DiffPart[] {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start += 1
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1
  const [one, other] = [
    left.slice(start, left.length - end),
    right.slice(start, right.length - end)
  ]
  const parts: DiffPart[] = [
    { kind: 'same', lines: left.slice(0, start) },
    ...(one.length * other.length > cellsMax ? allDifferent(one, other) : walk(one, other)),
    { kind: 'same', lines: left.slice(left.length - end) }
  ]
  return parts.filter(({ lines }) => lines.length > 0)
}

function allDifferent(left: readonly string[], right: readonly string[]): DiffPart[] {
  return [
    { kind: 'left', lines: left },
    { kind: 'right', lines: right }
  ]
}

function walk(left: readonly string[], right: readonly string[]): DiffPart[] {
  const common = commonLengths(left, right)
  const parts: { kind: DiffPart['kind']; lines: string[] }[] = []
  let [row, column] = [0, 0]
  const kindHere = (): DiffPart['kind'] => {
    if (row === left.length) return 'right'
    if (column === right.length) return 'left'
    if (left[row] === right[column]) return 'same'
    const at = row * (right.length + 1) + column
    const [below = 0, after = 0] = [common[at + right.length + 1], common[at + 1]]
    return below >= after ? 'left' : 'right'
  }
  while (row < left.length || column < right.length) {
    const kind = kindHere()
    if (parts.at(-1)?.kind !== kind) parts.push({ kind, lines: [] })
    parts.at(-1)?.lines.push((kind === 'right' ? right[column] : left[row]) ?? '')
    if (kind !== 'right') row += 1
    if (kind !== 'left') column += 1
  }
  return parts
}

/**
 * Returns, for each pair of positions, the length of the longest common subsequence of the lines
 * from there to the end.
 */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array {
  const width = right.length + 1
  const table = new Uint16Array((left.length + 1) * width)
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const at = row * width + column
      const [below, after] = [table[at + width] ?? 0, table[at + 1] ?? 0]
      const isSame = left[row] === right[column]
      table[at] = isSame ? 1 + (table[at + width + 1] ?? 0) : Math.max(below, after)
    }
  }
  return table
}
