/** Formats and fills Markdown pages: tables, code spans, and the generated parts of a page. */
import { globSync, readFileSync } from 'node:fs'

export const root = new URL('../../', import.meta.url)

/** A page, with the content of its generated parts by name. */
export interface GeneratedPage {
  readonly path: string
  readonly parts: () => Readonly<Record<string, string>>
}

/** Reads a file by its path in the repository. */
export function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

/** Lists the files in a folder of the repository, sorted by path. */
export function listFiles(folder: string, pattern: string): string[] {
  const names = globSync(pattern, { cwd: new URL(folder, root) })
  return names.map((name) => name.replaceAll('\\', '/')).toSorted()
}

export function code(text: string): string {
  return `\`${text}\``
}

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |\n`)
  return `| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n${lines.join('')}`
}

/**
 * Replaces the parts of a page between `<!-- generated: NAME -->` and `<!-- end -->`.
 * @throws unless the page contains the start marker of each part exactly once, and an end after it
 */
export function fillPage({ path, parts }: GeneratedPage): string {
  return Object.entries(parts()).reduce((text, [name, part]) => {
    const start = `<!-- generated: ${name} -->\n`
    const [before = '', after = '', ...others] = text.split(start)
    const endsAt = after.indexOf('<!-- end -->')
    if (endsAt < 0 || others.length > 0) {
      throw new Error(`${path} must contain "${start.trim()}" and its end exactly once`)
    }
    return `${before}${start}\n${part}\n${after.slice(endsAt)}`
  }, read(path))
}
