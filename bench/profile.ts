/** Reads a V8 processor profile: where a process spent its own time. */
import { markdownTable } from './report/markdown.ts'

/** As much of a .cpuprofile as is read here; times are microseconds of the monotonic clock. */
export interface CpuProfile {
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly nodes: readonly {
    readonly id: number
    /** Ids of the functions that it called. */
    readonly children?: readonly number[]
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
}

export interface SelfTime {
  /** Function and place, e.g. `parse gateway/ingest/parse.ts:30`. */
  readonly where: string
  /** Of the time that was not idle, 0 to 1. */
  readonly share: number
}

/** Microseconds between which samples count, so that a start is not taken for work. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Functions by the time spent in themselves, the most expensive first. */
export function selfTimesOf(profile: CpuProfile, span: Span, root: string): SelfTime[] {
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node.callFrame, root)]))
  return sharesOf(profile, span, names)
}

/**
 * On whose behalf it was busy: what a package has the runtime do is the package's, and what nobody
 * asked for is the runtime's. Our own sources are named by their room.
 */
export function ownersOf(profile: CpuProfile, span: Span, root: string): SelfTime[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const callers = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const))
  )
  const ownerOf = (id: number): string => {
    const node = nodes.get(id)
    if (node === undefined) return runtime
    const own = ownOwnerOf(node.callFrame, root)
    if (own !== null) return own
    const caller = callers.get(id)
    return caller === undefined ? runtime : ownerOf(caller)
  }
  const owners = new Map(profile.nodes.map(({ id }) => [id, ownerOf(id)]))
  return sharesOf(profile, span, owners)
}

const runtime = 'Node.js'
/** What V8 does by itself. */
const alone = /^\((idle|program|garbage collector)\)$/
const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/

/** Null when it is known only from who called it. */
function ownOwnerOf({ functionName, url }: CallFrame, root: string): string | null {
  if (alone.test(functionName)) return functionName
  const found = inPackage.exec(url)?.[1]
  if (found !== undefined) return found
  return url.includes(root) ? (placeOf(url, root).split('/')[0] ?? null) : null
}

function sharesOf(profile: CpuProfile, span: Span, names: ReadonlyMap<number, string>): SelfTime[] {
  const times = new Map<string, number>()
  let at = profile.startTime
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0
    at += delta
    const where = names.get(id) ?? 'unknown'
    if (at < span.from || at > span.to || where === '(idle)') continue
    times.set(where, (times.get(where) ?? 0) + delta)
  }
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times]
    .map(([where, time]) => ({ where, share: time / busy }))
    .toSorted((left, right) => right.share - left.share)
}

type CallFrame = CpuProfile['nodes'][number]['callFrame']

/** Places are shown from the root of the sources: a path of the machine says nothing elsewhere. */
function nameOf({ functionName, url, lineNumber }: CallFrame, root: string): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  const place = placeOf(url, root)
  return place === '' ? name : `${name} ${place}:${lineNumber + 1}`
}

function placeOf(url: string, root: string): string {
  return url.replace('file://', '').replace(root, '').replace(/^\//, '')
}

export function markdownOf(head: string, times: readonly SelfTime[]): string {
  const lines = times.map(({ where, share }) => [`\`${where}\``, `${(share * 100).toFixed(1)} %`])
  return markdownTable([head, 'of the busy time'], lines, 1)
}
