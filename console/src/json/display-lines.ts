/** The display lines of a text, in typed arrays, because a text of 4 MiB has up to 800,000 lines.
 */

/** How a line begins: with a new token, or within a token that began on an earlier line. */
export const lineStart = { whole: 0, name: 1, string: 2, scalar: 3, text: 4 } as const

export interface DisplayLines {
  readonly text: string
  readonly count: number
  /** Line `i` is `text.slice(starts[i], starts[i + 1])`, so all lines together are the text. */
  readonly starts: Uint32Array
  readonly depths: Uint8Array
  readonly kinds: Uint8Array
  /** The line of the matching bracket, for a line that ends with `{` or `[` or begins with `}` or
   * `]`. Any other line is its own pair.
   */
  readonly pairs: Uint32Array
  /** Maximum number of characters in a line, including the indentation. */
  readonly columns: number
}

export type GrowingLines = DisplayLines & { count: number; depth: number }

/**
 * Browsers cannot scroll to rows further down than this: Firefox limits an element to 17.8 million
 * pixels, and a row is 20 pixels high.
 */
export const linesMax = 800_000

export function createLines(text: string, columns: number): GrowingLines {
  // One more line shows that there are too many. One more element marks the end of the last line.
  const size = Math.min(text.length, linesMax) + 2
  const [starts, pairs] = [new Uint32Array(size), new Uint32Array(size)]
  const [depths, kinds] = [new Uint8Array(size), new Uint8Array(size)]
  return { text, columns, count: 0, depth: 0, starts, pairs, depths, kinds }
}

/** Adds a line at the current depth. */
export function addLine(lines: GrowingLines, start: number, kind: number): void {
  const line = lines.count
  lines.starts[line] = start
  lines.starts[line + 1] = lines.text.length
  lines.depths[line] = lines.depth
  lines.kinds[line] = kind
  lines.pairs[line] = line
  lines.count = line + 1
}

export function startOf({ starts, text }: DisplayLines, line: number): number {
  return starts[line] ?? text.length
}

export function pairOf({ pairs }: DisplayLines, line: number): number {
  return pairs[line] ?? line
}

/** Checks whether the line ends with the opening bracket of lines that can be folded. */
export function isOpening(lines: DisplayLines, line: number): boolean {
  return pairOf(lines, line) > line
}

/** Returns the index of the last of `count` ascending numbers that is at most `value`, or 0. */
export function lastAtMost(numbers: Uint32Array, count: number, value: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((numbers[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the line that contains the character at `offset`. */
export function lineAt({ starts, count }: DisplayLines, offset: number): number {
  return lastAtMost(starts, count, offset)
}

/** Returns the indentation in characters. Deep lines keep at least half of the width. */
export function indentOf(depth: number, columns: number): number {
  return Math.min(2 * depth, columns >> 1)
}
