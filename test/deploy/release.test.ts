/** Tests the release checks: a single version everywhere, release notes, and a bill of materials.
 */
import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { checkRelease } from '../../deploy/release/check-release.ts'
import { releaseNotes } from '../../deploy/release/release-notes.ts'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const { version } = manifest

/** Returns a file's text as in a release: the changelog has the version instead of `Pending`. */
function released(file: string): string {
  const text = readFileSync(file, 'utf8')
  return file === 'CHANGELOG.md' ? text.replace('## Pending', `## ${version}`) : text
}

describe('checkRelease', () => {
  test('accepts the version of package.json in all files', () => {
    expect(checkRelease(`v${version}`, released)).toEqual([])
  })

  test('names the files with a different version', () => {
    const forgotten = (file: string): string =>
      file.endsWith('Chart.yaml') ? 'version: 0.0.9\n' : released(file)
    expect(checkRelease(`v${version}`, forgotten)).toEqual([
      `deploy/helm/sluice/Chart.yaml has 0.0.9, but the tag is ${version}`,
      `deploy/helm/sluice/Chart.yaml has no version, but the tag is ${version}`
    ])
  })

  test('rejects a release without notes', () => {
    const empty = (file: string): string =>
      file === 'CHANGELOG.md' ? '## Pending' : released(file)
    expect(checkRelease(`v${version}`, empty)).toEqual([
      `CHANGELOG.md has no section "## ${version}"`
    ])
  })

  test.each(['', 'main', '1.2.3', 'v1.2', 'v1.2.3 && true'])('rejects the tag %j', (tag) => {
    expect(checkRelease(tag, released)).toEqual([
      `${tag} is not a release tag; use v1.2.3 or v1.2.3-rc.1`
    ])
  })
})

describe('releaseNotes', () => {
  const changelog =
    '# Changelog\n\n## Pending\n\n## 1.1.0\n\n### Added\n\n- more\n\n## 1.0.0\n\n- all\n'

  test('returns the section of the version', () => {
    expect(releaseNotes(changelog, '1.1.0')).toBe('### Added\n\n- more')
    expect(releaseNotes(changelog, '1.0.0')).toBe('- all')
  })

  test.each(['Pending', '1.0', '2.0.0'])('returns null for %s', (none) => {
    expect(releaseNotes(changelog, none)).toBeNull()
  })
})

interface Bill {
  readonly components: readonly {
    readonly name: string
    readonly purl: string
    readonly licenses?: readonly unknown[]
    readonly hashes?: readonly unknown[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

describe('bill of materials', () => {
  const command = 'npm sbom --package-lock-only --sbom-format cyclonedx'
  const { components, dependencies } = JSON.parse(
    execSync(`${command} 2>/dev/null | node deploy/release/bill-of-materials.ts`).toString()
  ) as Bill
  const names = components.map(({ name }) => name)

  test('contains the packages of the image and no development tools', () => {
    const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
    const shipped = Object.entries(locked.packages).filter(([path, { dev }]) => path && !dev)
    expect(names.length).toBe(shipped.length)
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
    for (const name of ['jest', 'eslint', 'typescript']) expect(names).not.toContain(name)
  })

  test('contains the origin, hash and licence of each package', () => {
    const bare = components.filter((each) => !each.licenses || !each.hashes || !each.purl)
    // This package has a license file (MIT), but no license field in its package.json.
    expect(bare.map(({ name }) => name)).toEqual(['@kafkajs/confluent-schema-registry'])
  })

  test('refers only to its own components', () => {
    const refs = new Set(dependencies.map(({ ref }) => ref))
    expect(
      dependencies.flatMap(({ dependsOn }) => dependsOn.filter((to) => !refs.has(to)))
    ).toEqual([])
  })
})
