/** Checks that things are where their names say: exports, twins, contracts, rooms. */
import { aboutFile, isSource } from './files.ts'
import type { Check, Finding, RepositoryFile } from './files.ts'

/** Programs, tables of data, and the one barrel: named for their role. */
const namedForRole = /(^|\/)(main|index|run|start|check|sluice|[^/]*-table)[.]ts$/

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

/** "limit-rate.ts" -> limit, rate; "ingest.operation.ts" -> ingest, operation */
function wordsOf(path: string): string[] {
  const file = path.split('/').at(-1) ?? ''
  return file.replace(/[.]ts$/, '').split(/[-.]/)
}

/** An s at the end is forgiven: a file of ports may export freePort. */
function stem(word: string): string {
  return word.toLowerCase().replace(/(?<=..)s$/, '')
}

function shareWord(path: string, name: string): boolean {
  return wordsOf(path).some((word) => name.toLowerCase().includes(stem(word)))
}

/**
 * limit-rate.ts exports createLimitRate or LimitRate, so that either leads to the other. A file of
 * several functions is named for what they have in common, which only a reader can judge.
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

/** test/unit/core/ids.test.ts is about core/ids.ts; "ids.clock.test.ts" is one aspect of it. */
export const checkTwins: Check = (files) => {
  const paths = new Set(files.map(({ path }) => path))
  return files.flatMap(({ path }): Finding[] => {
    const twin = /^test\/unit\/(.*\/[^/.]+)(?:[.][^/]*)?[.]test[.]ts$/.exec(path)?.[1]
    if (twin === undefined) return []
    const places = [`${twin}.ts`, `${twin}.mjs`, `test/${twin}.ts`]
    if (places.some((place) => paths.has(place) || hasAspect(paths, place))) return []
    return [aboutFile(path, `tests ${twin}.ts, which does not exist`)]
  })
}

/** ingest.operation.test.ts may be about ingest.operation.ts: the part before the dot decides. */
function hasAspect(paths: ReadonlySet<string>, place: string): boolean {
  const start = place.replace(/[.][a-z]+$/, '.')
  return [...paths].some((path) => path.startsWith(start))
}

/** Every version of a schema is decoded in a test for ever. */
export const checkContracts: Check = (files) => {
  const paths = new Set(files.map(({ path }) => path))
  return files.flatMap(({ path }) => {
    const version = /^schemas\/(.*)[.]avsc$/.exec(path)?.[1]
    if (version === undefined || paths.has(`test/unit/platform/avro/golden/${version}.hex`))
      return []
    return [aboutFile(path, `no bytes of it, write test/unit/platform/avro/golden/${version}.hex`)]
  })
}

function mentions({ lines }: RepositoryFile, word: string): boolean {
  return lines.some((line) => line.includes(word))
}

/** A reader who meets a folder finds it explained. */
export const checkRooms: Check = (files) => {
  const rooms = new Set(
    files.flatMap(({ path }) => {
      const [room = '', rest] = path.split('/')
      return rest === undefined || room.startsWith('.') ? [] : [room]
    })
  )
  return ['README.md', 'ARCHITECTURE.md'].flatMap((path) => {
    const page = files.find((file) => file.path === path)
    if (page === undefined) return [aboutFile(path, 'missing')]
    const missing = [...rooms].filter((room) => !mentions(page, `${room}/`))
    return missing.map((room) => aboutFile(path, `does not name ${room}/`))
  })
}

/** Rooms of the server; SDKs follow the conventions of their language, tests mirror the rooms. */
const roomy =
  /^(schemas|core|platform|store|evaluators|http|auth|usage|api|gateway|consumers|cli|stack)\//

/** Split a folder that has more files than this. */
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
