/** What a release is made of: one version everywhere, its notes, and a bill of materials. */
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

/** The files as they are, with the changelog of a release. */
function released(file: string): string {
  const text = readFileSync(file, 'utf8')
  return file === 'CHANGELOG.md' ? text.replace('## Pending', `## ${version}`) : text
}

describe('checkRelease', () => {
  test('all places have the version of package.json today', () => {
    expect(checkRelease(`v${version}`, released)).toEqual([])
  })

  test('a version that was forgotten is named with its file', () => {
    const forgotten = (file: string): string =>
      file.endsWith('Chart.yaml') ? 'version: 0.0.9\n' : released(file)
    expect(checkRelease(`v${version}`, forgotten)).toEqual([
      `deploy/helm/sluice/Chart.yaml says 0.0.9, the tag says ${version}`,
      `deploy/helm/sluice/Chart.yaml says no version, the tag says ${version}`
    ])
  })

  test('a release without notes is none', () => {
    const empty = (file: string): string =>
      file === 'CHANGELOG.md' ? '## Pending' : released(file)
    expect(checkRelease(`v${version}`, empty)).toEqual([
      `CHANGELOG.md has no section "## ${version}"`
    ])
  })

  test.each(['', 'main', '1.2.3', 'v1.2', 'v1.2.3 && true'])('%j is no tag of a release', (tag) => {
    expect(checkRelease(tag, released)).toEqual([
      `${tag}: a release is tagged v1.2.3 or v1.2.3-rc.1`
    ])
  })
})

describe('releaseNotes', () => {
  const changelog =
    '# Changelog\n\n## Pending\n\n## 1.1.0\n\n### Added\n\n- more\n\n## 1.0.0\n\n- all\n'

  test('are the section of the version, to the next one', () => {
    expect(releaseNotes(changelog, '1.1.0')).toBe('### Added\n\n- more')
    expect(releaseNotes(changelog, '1.0.0')).toBe('- all')
  })

  test.each(['Pending', '1.0', '2.0.0'])('are nothing for %s', (none) => {
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

describe('the bill of materials', () => {
  const command = 'npm sbom --package-lock-only --sbom-format cyclonedx'
  const { components, dependencies } = JSON.parse(
    execSync(`${command} 2>/dev/null | node deploy/release/bill-of-materials.ts`).toString()
  ) as Bill
  const names = components.map(({ name }) => name)

  test('has the packages of the image and none of the tools', () => {
    const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
    const shipped = Object.entries(locked.packages).filter(([path, { dev }]) => path && !dev)
    expect(names.length).toBe(shipped.length)
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
    for (const name of ['jest', 'eslint', 'typescript']) expect(names).not.toContain(name)
  })

  test('says of each where it is from, its hash and its licence', () => {
    const bare = components.filter((each) => !each.licenses || !each.hashes || !each.purl)
    // Its manifest names no licence; the file beside it is MIT's.
    expect(bare.map(({ name }) => name)).toEqual(['@kafkajs/confluent-schema-registry'])
  })

  test('points at nothing that is not in it', () => {
    const refs = new Set(dependencies.map(({ ref }) => ref))
    expect(
      dependencies.flatMap(({ dependsOn }) => dependsOn.filter((to) => !refs.has(to)))
    ).toEqual([])
  })
})
