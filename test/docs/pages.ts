/** Reads the documents that git lists and extracts parts to compare: rows, links, blocks and
 * headings.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export function read(path: string): string {
  return readFileSync(path, 'utf8')
}

function listFiles(...args: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', ...args], { encoding: 'utf8' }).split('\0')
  return listed.filter((path) => path !== '' && existsSync(path)).toSorted()
}

/** All files of the repository, including uncommitted ones but not those that git ignores. */
export const files = listFiles('-co', '--exclude-standard')
export const pages = files.filter((path) => path.endsWith('.md'))

export function code(text: unknown): string {
  return `\`${String(text)}\``
}

/** Returns the texts in backquotes outside fenced code blocks. */
export function codesIn(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/`([^`]+)`/g)].map(([, found]) => found ?? '')
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '')
}

/** Returns the part of a page below a heading, up to the next heading of any level. */
export function sectionOf(page: string, heading: string): string {
  const lines = read(page).split('\n')
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading)
  if (start < 0) throw new Error(`${page} has no heading "${heading}"`)
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^#+ /.test(line))
  return rest.slice(0, end < 0 ? rest.length : end).join('\n')
}

/** Returns the cells of each table row in a text, without header and separator rows. */
export function rowsOf(text: string): string[][] {
  const lines = text.split('\n')
  return lines
    .filter((line, index) => line.startsWith('|') && !isHead(line, lines[index + 1]))
    .filter((line) => !isRule(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && /^\|[-:| ]+\|$/.test(line)
}

function isHead(line: string, next: string | undefined): boolean {
  return !isRule(line) && isRule(next)
}

/** Returns the targets of links within the repository, each with its fragment. */
export function linksIn(text: string): { path: string; fragment: string }[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', fragment = ''] = target.split('#')
      return { path, fragment }
    })
}

/** Returns the fragments of a page's headings, as GitHub creates them. */
export function fragmentsOf(path: string): string[] {
  return [...withoutBlocks(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  )
}

/** Returns the fenced blocks of one language. */
export function blocksIn(text: string, language: string): string[] {
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
  return fences.filter(([, name]) => name === language).map(([, , block]) => block ?? '')
}
