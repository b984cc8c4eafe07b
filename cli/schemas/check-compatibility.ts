/** Checks the Avro schema files: released ones are unchanged, versions are compatible, and the
 * newest is in use.
 */
import { hash } from 'node:crypto'
import { incompatibilitiesOf } from '../../platform/avro/avro-incompatibilities.ts'
import { fieldChangesOf } from './field-changes.ts'

interface SchemaFiles {
  /** Content of each file, by file name. */
  readonly texts: ReadonlyMap<string, string>
  /**
   * Hash of each released file, by file name. A released file must not change, because topics may
   * hold records that use it.
   */
  readonly released: Readonly<Record<string, { readonly sha256: string }>>
  /** Files that the code uses to write and read records. */
  readonly written: readonly string[]
}

interface Version {
  readonly file: string
  readonly subject: string
  readonly version: number
  readonly text: string
}

const expression = /^([a-z][a-z0-9-]*)\.v([1-9]\d*)\.avsc$/

/** @returns one sentence per error, usually with a fix; empty if there are no errors */
export function checkCompatibility({ texts, released, written }: SchemaFiles): string[] {
  const files = [...texts.keys()]
  const misnamed = files.filter((file) => !expression.test(file))
  const subjects = Map.groupBy([...texts].flatMap(versionOf), ({ subject }) => subject)
  return [
    ...misnamed.map((file) => `${file}: name it <subject>.v<version>.avsc`),
    ...Object.keys(released)
      .filter((file) => !texts.has(file))
      .map(
        (file) => `${file} was released and is missing: restore it, since topics hold records of it`
      ),
    ...[...subjects.values()].flatMap((versions) => [
      ...versions.flatMap((version) => unfrozen(version, released[version.file]?.sha256)),
      ...historyOf(
        versions.toSorted((left, right) => left.version - right.version),
        written
      )
    ])
  ]
}

function versionOf([file, text]: readonly [string, string]): Version[] {
  const [, subject, version] = expression.exec(file) ?? []
  return subject === undefined ? [] : [{ file, subject, version: Number(version), text }]
}

function unfrozen({ file, subject, version, text }: Version, sha256: string | undefined) {
  const now = hash('sha256', text)
  if (sha256 === now) return []
  if (sha256 === undefined) {
    return [`${file} is not in released.json: add it with the sha256 ${now}, which freezes it`]
  }
  const next = `${subject}.v${version + 1}.avsc`
  return [`${file} was released and has changed: restore it, and make the change in ${next}`]
}

/** Checks the versions of one subject, oldest first. */
function historyOf(versions: readonly Version[], written: readonly string[]): string[] {
  const newest = versions.at(-1)
  const gap = versions.find(({ version }, index) => version !== index + 1)
  const parsed = versions.map(({ file, text }) => ({ file, schema: schemaOf(text) }))
  return [
    ...(gap === undefined ? [] : [`${gap.file}: versions must start at 1 and have no gaps`]),
    ...parsed.flatMap(({ file, schema }) =>
      schema === null ? [`${file} is not a JSON object`] : []
    ),
    ...parsed.flatMap((later, index) =>
      parsed.slice(0, index).flatMap((earlier) => conflictsOf(earlier, later))
    ),
    ...(newest === undefined || written.includes(newest.file)
      ? []
      : [
          `${newest.file} is the newest version, but the code does not use it: name it in ` +
            'schemas/index.ts'
        ])
  ]
}

interface Parsed {
  readonly file: string
  readonly schema: object | null
}

function conflictsOf(earlier: Parsed, later: Parsed): string[] {
  if (earlier.schema === null || later.schema === null) return []
  const conflicts = [
    ...incompatibilitiesOf(earlier.schema, later.schema),
    ...fieldChangesOf(earlier.schema, later.schema)
  ]
  return conflicts.map(
    (conflict) => `${later.file} is not compatible with ${earlier.file}: ${conflict}`
  )
}

function schemaOf(text: string): object | null {
  try {
    const schema: unknown = JSON.parse(text)
    return typeof schema === 'object' ? schema : null
  } catch {
    return null
  }
}
