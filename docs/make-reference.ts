/** Generates the marked parts of the reference pages from the code: `npm run docs`.
 *
 * The pages are committed. A test compares them with the output of this program.
 */
import { writeFileSync } from 'node:fs'
import { alerts, runbookIndex } from './generate/alerts.ts'
import { api } from './generate/api.ts'
import { cli } from './generate/cli.ts'
import { errors } from './generate/errors.ts'
import { files } from './generate/files.ts'
import { fillPage, root } from './generate/markdown.ts'
import type { GeneratedPage } from './generate/markdown.ts'
import { metrics } from './generate/metrics.ts'
import { settings } from './generate/settings.ts'
import { sizing } from './generate/sizing.ts'
import { topicsAndTables } from './generate/topics-and-tables.ts'

const pages: readonly GeneratedPage[] = [
  alerts,
  api,
  cli,
  errors,
  files,
  metrics,
  runbookIndex,
  settings,
  sizing,
  topicsAndTables
]

/** Returns the content of each page, by path. */
export function makeReference(): Readonly<Record<string, string>> {
  return Object.fromEntries(pages.map((page) => [page.path, fillPage(page)]))
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(makeReference())) {
    writeFileSync(new URL(path, root), text)
  }
}
