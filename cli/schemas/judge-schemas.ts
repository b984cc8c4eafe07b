/** Whether the Avro schemas may be published: frozen where released, compatible, and written. */
import { hash } from 'node:crypto'
import { incompatibilitiesOf } from '../../platform/avro/avro-incompatibilities.ts'
import { fieldChangesOf } from './field-changes.ts'

export interface SchemaFiles {
  /** The text of each file, by its name. */
  readonly texts: ReadonlyMap<string, string>
  /** What topics may hold records of: the hash of each file, by its name. */
  readonly released: Readonly<Record<string, { readonly sha256: string }>>
  /** The files that the code writes and reads with. */
  readonly written: readonly string[]
}

interface Version {
  readonly file: string
  readonly subject: string
  readonly version: number
  readonly text: string
}

const expression = /^([a-z][a-z0-9-]*)\.v([1-9]\d*)\.avsc$/

/** @returns what is wrong and what to do about it, a sentence for each; empty when all is well. */
export function judgeSchemas({ texts, released, written }: SchemaFiles): string[] {
  const files = [...texts.keys()]
  const misnamed = files.filter((file) => !expression.test(file))
  const subjects = Map.groupBy([...texts].flatMap(versionOf), ({ subject }) => subject)
  return [
    ...misnamed.map((file) => `${file}: name it <subject>.v<version>.avsc`),
    ...Object.keys(released)
      .filter((file) => !texts.has(file))
      .map((file) => `${file} was released and is gone: put it back, topics hold what it wrote`),
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
    return [`${file} is not in released.json: add it with the sha256 ${now}; then it is frozen`]
  }
  const next = `${subject}.v${version + 1}.avsc`
  return [`${file} was released and has changed: put it back, and make the change in ${next}`]
}

/** The versions of one subject, oldest first. */
function historyOf(versions: readonly Version[], written: readonly string[]): string[] {
  const newest = versions.at(-1)
  const gap = versions.find(({ version }, index) => version !== index + 1)
  const parsed = versions.map(({ file, text }) => ({ file, schema: schemaOf(text) }))
  return [
    ...(gap === undefined ? [] : [`${gap.file}: versions begin at 1 and leave none out`]),
    ...parsed.flatMap(({ file, schema }) => (schema === null ? [`${file} is no JSON object`] : [])),
    ...parsed.flatMap((later, index) =>
      parsed.slice(0, index).flatMap((earlier) => conflictsOf(earlier, later))
    ),
    ...(newest === undefined || written.includes(newest.file)
      ? []
      : [`${newest.file} is the newest and nobody writes it: name it in schemas/index.ts`])
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
  return conflicts.map((conflict) => `${later.file} cannot follow ${earlier.file}: ${conflict}`)
}

function schemaOf(text: string): object | null {
  try {
    const schema: unknown = JSON.parse(text)
    return typeof schema === 'object' ? schema : null
  } catch {
    return null
  }
}
