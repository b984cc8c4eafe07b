/** Checks that all versions in the repository match the tag of a release: `check-release.ts
 * v1.2.3`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseNotes } from './release-notes.ts'

const root = join(import.meta.dirname, '../..')

/** Files that contain the version, with the pattern that matches it. */
const places = [
  ['package.json', /^ {2}"version": "([^"]+)"/m],
  ['package-lock.json', /^ {2}"version": "([^"]+)"/m],
  ['deploy/helm/sluice/Chart.yaml', /^version: (\S+)$/m],
  ['deploy/helm/sluice/Chart.yaml', /^appVersion: (\S+)$/m],
  ['sdk/typescript/package.json', /^ {2}"version": "([^"]+)"/m],
  ['sdk/typescript/src/sdk-version.ts', /'typescript\/([^']+)'/],
  ['sdk/python/src/sluice/_version.py', /^VERSION = "([^"]+)"/m]
] as const

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Returns one sentence for each problem, or an empty list if the tag can be released. */
export function checkRelease(tag: string, textOf: (file: string) => string = read): string[] {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1]
  if (version === undefined) return [`${tag} is not a release tag; use v1.2.3 or v1.2.3-rc.1`]
  const wrong = places.flatMap(([file, pattern]) => {
    const found = pattern.exec(textOf(file))?.[1] ?? 'no version'
    return found === version ? [] : [`${file} has ${found}, but the tag is ${version}`]
  })
  const hasNotes = releaseNotes(textOf('CHANGELOG.md'), version) !== null
  return hasNotes ? wrong : [...wrong, `CHANGELOG.md has no section "## ${version}"`]
}

if (import.meta.main) {
  const problems = checkRelease(process.argv[2] ?? '')
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}
