/** Puts tables of the newest results into docs/performance.md, between the marks made for them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeptResults } from './results.ts'

/** @returns what was put where, in sentences. */
export function renderPage(resultsFolder: string, page: string): string[] {
  const newest = newestResults(readdirSync(resultsFolder))
  let text = readFileSync(page, 'utf8')
  const said = Object.entries(newest).map(([mode, file]) => {
    const results = JSON.parse(readFileSync(join(resultsFolder, file), 'utf8')) as KeptResults
    const filled = fillSection(text, mode, [measuredOn(results), '', ...results.page])
    if (filled === null) return `${file} has no place on the page.`
    text = filled
    return `${mode}: the tables of ${file}`
  })
  writeFileSync(page, text)
  return said
}

function measuredOn({ at, machine: { cores, processor, node } }: KeptResults): string {
  return `Measured on ${at.slice(0, 10)}: ${cores} cores (${processor}), Node ${node}.`
}

/** The last file of each kind: "2026-11-21-steady.json" -> { steady: "2026-11-21-steady.json" } */
export function newestResults(files: readonly string[]): Record<string, string> {
  const dated = files.toSorted().flatMap((file) => {
    const mode = /^\d{4}-\d{2}-\d{2}-([\w-]+)\.json$/.exec(file)?.[1]
    return mode === undefined ? [] : [[mode, file] as const]
  })
  return Object.fromEntries(dated)
}

/** Null when the page has no such section. */
export function fillSection(text: string, name: string, lines: readonly string[]): string | null {
  const begin = `<!-- bench: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) return null
  const content = `\n\n${lines.join('\n').trim()}\n\n`
  return text.slice(0, from + begin.length) + content + text.slice(to)
}
