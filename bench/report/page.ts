/** Writes the newest results into the marked sections of the performance pages. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeptResults } from './results.ts'

/**
 * Writes the newest results of each mode into its section.
 * @returns one line per mode that names its results file
 */
export function renderPages(resultsFolder: string, pages: readonly string[]): string[] {
  const newest = newestResults(readdirSync(resultsFolder))
  const texts = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]))
  const lines = Object.entries(newest).map(([mode, file]) => {
    const results = JSON.parse(readFileSync(join(resultsFolder, file), 'utf8')) as KeptResults
    const section = [measuredOn(results), '', ...results.page]
    for (const [page, text] of texts) {
      const filled = fillSection(text, mode, section)
      if (filled === null) continue
      texts.set(page, filled)
      return `${mode}: the tables of ${file}`
    }
    return `${file} has no section on any page.`
  })
  for (const [page, text] of texts) writeFileSync(page, text)
  return lines
}

function measuredOn({ at, machine: { cores, processor, node } }: KeptResults): string {
  return `Measured on ${at.slice(0, 10)}: ${cores} cores (${processor}), Node ${node}.`
}

/**
 * Returns the newest file of each mode: "2026-11-21-steady.json" -> { steady:
 * "2026-11-21-steady.json" }
 */
export function newestResults(files: readonly string[]): Record<string, string> {
  const dated = files.toSorted().flatMap((file) => {
    const mode = /^\d{4}-\d{2}-\d{2}-([\w-]+)\.json$/.exec(file)?.[1]
    return mode === undefined ? [] : [[mode, file] as const]
  })
  return Object.fromEntries(dated)
}

/** Replaces the content of a section. Returns null if the page does not have this section. */
export function fillSection(text: string, name: string, lines: readonly string[]): string | null {
  const begin = `<!-- bench: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) return null
  const content = `\n\n${lines.join('\n').trim()}\n\n`
  return text.slice(0, from + begin.length) + content + text.slice(to)
}
