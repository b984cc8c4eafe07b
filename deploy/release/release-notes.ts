/** Prints the notes of a release: its section of the changelog and the digest of its image. */
// node deploy/release/release-notes.ts v1.2.3 --image registry.example/sluice@sha256:…
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** Returns the section `## version` of the changelog; null if it is missing or empty. */
export function releaseNotes(changelog: string, version: string): string | null {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((each) => each.split('\n', 1)[0]?.trim() === version)
  const text = section?.split('\n').slice(1).join('\n').trim() ?? ''
  return text === '' ? null : text
}

function print(tag: string, image?: string): void {
  const file = join(import.meta.dirname, '../../CHANGELOG.md')
  const notes = releaseNotes(readFileSync(file, 'utf8'), tag.replace(/^v/, ''))
  if (notes === null) throw new Error(`CHANGELOG.md has no notes for ${tag}`)
  const named = `\n\n### Image\n\n\`\`\`\n${image ?? ''}\n\`\`\``
  process.stdout.write(`${notes}${image === undefined ? '' : named}\n`)
}

if (import.meta.main) {
  const options = { image: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  print(positionals[0] ?? '', values.image)
}
