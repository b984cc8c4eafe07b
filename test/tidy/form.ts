/** Checks line length, file length and header comments. */
import { aboutFile, eachLine, isCode, isSource } from './files.ts'
import type { Check, Finding, RepositoryFile } from './files.ts'

const columnsMax = 100
const linesMax = 500
export const medianMax = 90
export const p95Max = 220

/** Matches lines that cannot be broken: links, import paths and regular expressions. */
const unbreakable = /https?:\/\/| from '[^']+'$|(^|[=(:] ?)\s*\/[^/*\s].*\/[dgimsuvy]*[,)]*$/

/** Sources of generated pages. Each sentence is on one line, so that it can be searched for. */
const sentences = /^docs\/source\//

export const checkColumns: Check = (files) =>
  eachLine(
    files.filter((file) => isCode(file) && !sentences.test(file.path)),
    (line) =>
      [...line].length > columnsMax && !unbreakable.test(line)
        ? `${[...line].length} columns, use at most ${columnsMax}`
        : null
  )

export const checkLengths: Check = (files) =>
  files.filter(isCode).flatMap(({ path, lines: { length } }) => {
    return length > linesMax ? [aboutFile(path, `${length} lines, use at most ${linesMax}`)] : []
  })

/**
 * Returns the pattern for the first line of the header comment; null if the file type needs none.
 */
function purposePattern(path: string): RegExp | null {
  if (/[.](tsx?|js|mjs|cjs)$/.test(path)) return /^\/\*\* \S.*/
  if (path.endsWith('.sql')) return /^-- \S.*/
  if (path.endsWith('.sh') || path === '.ci/run') return /^# \S.*/
  return null
}

/** Requires a header comment that begins with a sentence. A shebang line may precede it. */
export const checkPurpose: Check = (files) =>
  files.flatMap((file): Finding[] => {
    const pattern = purposePattern(file.path)
    if (pattern === null) return []
    const index = file.lines[0]?.startsWith('#!') ? 1 : 0
    const text = commentOf(file, index)
    if (pattern.test(file.lines[index] ?? '') && /[.:!?]/.test(text)) return []
    const message = 'no purpose, begin with one sentence in a comment'
    return [{ path: file.path, line: index + 1, message }]
  })

/** Returns the first paragraph of the comment that begins at `start`. */
function commentOf({ lines }: RepositoryFile, start: number): string {
  const rest = lines.slice(start)
  const end = rest.findIndex((line) => /\*\/|^ \*$|^$/.test(line))
  return rest.slice(0, end < 0 ? rest.length : end + 1).join(' ')
}

export type Sizes = { files: number; median: number; p95: number; max: number }

/** Returns the median, 95th percentile and maximum number of lines per source file. */
export function sizesOf(files: readonly RepositoryFile[]): Sizes {
  const lengths = files
    .filter(isSource)
    .map(({ lines }) => lines.length)
    .toSorted((a, b) => a - b)
  const quantile = (share: number): number =>
    lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))] ?? 0
  return { files: lengths.length, median: quantile(0.5), p95: quantile(0.95), max: quantile(1) }
}
