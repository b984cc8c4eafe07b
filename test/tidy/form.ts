/** Checks of a file's outer form: length of lines and files, and its sentence of purpose. */
import { aboutFile, eachLine, isCode, isSource, isTest } from './files.ts'
import type { Check, Finding, RepositoryFile } from './files.ts'

const columnsMax = 100
const linesMax = 250
const testLinesMax = 400
export const medianMax = 90
export const p95Max = 220

/** Matches a line that cannot be broken: a link, the path of an import, a regular expression. */
const unbreakable = /https?:\/\/| from '[^']+'$|(^|[=(:] ?)\s*\/[^/*\s].*\/[dgimsuvy]*[,)]*$/

export const checkColumns: Check = (files) =>
  eachLine(files.filter(isCode), (line) =>
    [...line].length > columnsMax && !unbreakable.test(line)
      ? `${[...line].length} columns, use at most ${columnsMax}`
      : null
  )

export const checkLengths: Check = (files) =>
  files.filter(isCode).flatMap((file) => {
    const max = isTest(file) ? testLinesMax : linesMax
    const { length } = file.lines
    return length > max ? [aboutFile(file.path, `${length} lines, use at most ${max}`)] : []
  })

/** How a purpose begins, by kind of file; a line that names an interpreter comes before it. */
function purposePattern(path: string): RegExp | null {
  if (/[.](ts|js|mjs|cjs)$/.test(path)) return /^\/\*\* \S.*/
  if (path.endsWith('.sql')) return /^-- \S.*/
  if (path.endsWith('.sh') || path === '.ci/run') return /^# \S.*/
  return null
}

/** A first line that says what the file is for: a sentence, so that a reader can stop there. */
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

/** The first paragraph of the comment that begins at this line. */
function commentOf({ lines }: RepositoryFile, start: number): string {
  const rest = lines.slice(start)
  const end = rest.findIndex((line) => /\*\/|^ \*$|^$/.test(line))
  return rest.slice(0, end < 0 ? rest.length : end + 1).join(' ')
}

export type Sizes = { files: number; median: number; p95: number; max: number }

/** Lines of the source files; what separates the good from the beautiful is the tail. */
export function sizesOf(files: readonly RepositoryFile[]): Sizes {
  const lengths = files
    .filter(isSource)
    .map(({ lines }) => lines.length)
    .toSorted((a, b) => a - b)
  const quantile = (share: number): number =>
    lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))] ?? 0
  return { files: lengths.length, median: quantile(0.5), p95: quantile(0.95), max: quantile(1) }
}
