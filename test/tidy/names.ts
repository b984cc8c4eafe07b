/** Checks file names and locations: exports, unit tests, golden bytes and top-level folders. */
import { aboutFile, isSource } from './files.ts'
import type { Check, Finding, RepositoryFile } from './files.ts'

/** Matches entry points, tables and barrel files, which are named for their role. */
const namedForRole =
  /(^|\/)(main|index|run|start|check|sluice|routes|schemas|queries|views|services|[^/]*-table)[.]tsx?$/

const declared =
  /^export (?:async )?(const|let|function\*?|class|interface|type) (\w+)|^export (?:type )?\{([^}]*)\}/

type Export = { readonly name: string; readonly isType: boolean }

function exportsOf({ lines }: RepositoryFile): Export[] {
  return lines.flatMap((line) => {
    const [whole, kind = '', name, list] = declared.exec(line) ?? []
    if (whole === undefined) return []
    const names = name === undefined ? (list ?? '').split(',') : [name]
    const isType = kind === 'type' || kind === 'interface' || whole.startsWith('export type {')
    return names.map((part) => ({ name: part.trim().split(' ').at(-1) ?? '', isType }))
  })
}

/** Splits a file name into words: "limit-rate.ts" gives limit and rate. */
function wordsOf(path: string): string[] {
  const file = path.split('/').at(-1) ?? ''
  return file.replace(/[.]tsx?$/, '').split(/[-.]/)
}

/** Ignores a plural s, so that ports.ts may export freePort. */
function stem(word: string): string {
  return word.toLowerCase().replace(/(?<=..)s$/, '')
}

function shareWord(path: string, name: string): boolean {
  return wordsOf(path).some((word) => name.toLowerCase().includes(stem(word)))
}

/**
 * Requires that a file with one export other than types is named for one of its exports:
 * limit-rate.ts exports createLimitRate or LimitRate. Files with several such exports cannot be
 * checked automatically.
 */
export const checkExports: Check = (files) =>
  files
    .filter((file) => isSource(file) && !namedForRole.test(file.path))
    .filter((file) => {
      const found = exportsOf(file)
      const isCollection = found.filter(({ isType }) => !isType).length !== 1
      return !isCollection && !found.some(({ name }) => shareWord(file.path, name))
    })
    .map((file) => {
      const names = exportsOf(file).map(({ name }) => name)
      return aboutFile(file.path, `named for none of its exports: ${names.join(', ')}`)
    })

/**
 * Requires a source file for each unit test: core/ids.ts for core/ids.test.ts and for
 * core/ids.clock.test.ts.
 */
export const checkTwins: Check = (files) => {
  const paths = new Set(files.map(({ path }) => path))
  return files.flatMap(({ path }): Finding[] => {
    const twin = /^test\/unit\/(.*\/[^/.]+)(?:[.][^/]*)?[.]test[.]ts$/.exec(path)?.[1]
    if (twin === undefined) return []
    const places = [`${twin}.ts`, `${twin}.tsx`, `${twin}.mjs`, `test/${twin}.ts`]
    if (places.some((place) => paths.has(place) || hasAspect(paths, place))) return []
    return [aboutFile(path, `tests ${twin}.ts, which does not exist`)]
  })
}

/**
 * Requires that another file uses each export. SDKs are exempt, because their users are elsewhere.
 */
export const checkUsedExports: Check = (files) => {
  const users = new Map<string, number>()
  for (const { lines } of files) {
    for (const word of new Set(lines.join('\n').match(/\w+/g))) {
      users.set(word, (users.get(word) ?? 0) + 1)
    }
  }
  const sources = files.filter(({ path }) => /[.]tsx?$/.test(path) && !path.startsWith('sdk/'))
  return sources.flatMap((file) =>
    exportsOf(file)
      .filter(({ name }) => users.get(name) === 1)
      .map(({ name }) => aboutFile(file.path, `exports ${name}, which no other file uses`))
  )
}

const declaredType = /^export (?:interface|type|class) (\w+)/

/**
 * Requires that no two exported types share a name. SDKs are exempt, because they are separate
 * packages.
 */
export const checkTypeNames: Check = (files) => {
  const sources = files.filter((file) => isSource(file) && !file.path.startsWith('sdk/'))
  const declared = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line) => {
      const name = declaredType.exec(line)?.[1]
      return name === undefined ? [] : [{ name, path }]
    })
  )
  return [...Map.groupBy(declared, ({ name }) => name)].flatMap(([name, [first, ...others]]) =>
    others.map(({ path }) => aboutFile(path, `exports the type ${name}, as ${first?.path} does`))
  )
}

/**
 * Checks whether the source exists with another extension, for example ingest.operation.ts for
 * ingest.ts.
 */
function hasAspect(paths: ReadonlySet<string>, place: string): boolean {
  const start = place.replace(/[.][a-z]+$/, '.')
  return [...paths].some((path) => path.startsWith(start))
}

/** Requires golden bytes for every schema version. */
export const checkContracts: Check = (files) => {
  const paths = new Set(files.map(({ path }) => path))
  return files.flatMap(({ path }) => {
    const version = /^schemas\/(.*)[.]avsc$/.exec(path)?.[1]
    if (version === undefined || paths.has(`test/unit/platform/avro/golden/${version}.hex`))
      return []
    return [
      aboutFile(path, `has no golden bytes, write test/unit/platform/avro/golden/${version}.hex`)
    ]
  })
}

function mentions({ lines }: RepositoryFile, word: string): boolean {
  return lines.some((line) => line.includes(word))
}

/** Requires that ARCHITECTURE.md names every top-level folder. */
export const checkRooms: Check = (files) => {
  const rooms = new Set(
    files.flatMap(({ path }) => {
      const [room = '', rest] = path.split('/')
      return rest === undefined || room.startsWith('.') ? [] : [room]
    })
  )
  return ['ARCHITECTURE.md'].flatMap((path) => {
    const page = files.find((file) => file.path === path)
    if (page === undefined) return [aboutFile(path, 'missing')]
    const missing = [...rooms].filter((room) => !mentions(page, `${room}/`))
    return missing.map((room) => aboutFile(path, `does not name ${room}/`))
  })
}

/**
 * Matches the server's top-level folders, to which `filesOfFolderMax` applies. SDKs and tests have
 * their own layout.
 */
const roomy =
  /^(schemas|core|platform|store|evaluators|http|auth|usage|api|gateway|consumers|cli|stack|console)\//

/** Maximum number of files in a folder. Split folders that have more. */
export const filesOfFolderMax = 25

export const checkFolders: Check = (files) => {
  const sizes = new Map<string, number>()
  for (const { path } of files.filter((file) => isSource(file) && roomy.test(file.path))) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
  }
  return [...sizes]
    .filter(([, size]) => size > filesOfFolderMax)
    .map(([folder, size]) => aboutFile(folder, `${size} files, use at most ${filesOfFolderMax}`))
}
