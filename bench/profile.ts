/** Analyzes V8 CPU profiles: computes where a process spent its time. */
import { markdownTable } from './report/markdown.ts'

/**
 * The parts of a .cpuprofile file that are used here. Times are in microseconds of the monotonic
 * clock.
 */
export interface CpuProfile {
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly nodes: readonly {
    readonly id: number
    /** IDs of the nodes that this node called. */
    readonly children?: readonly number[]
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
}

interface SelfTime {
  /** Function and location, for example `parse gateway/ingest/parse.ts:30`. */
  readonly where: string
  /** Share of the busy (not idle) time, from 0 to 1. */
  readonly share: number
}

/** Time span of the samples that count, in microseconds. It excludes process startup. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Returns the functions by self time, most expensive first. */
export function selfTimesOf(profile: CpuProfile, span: Span, root: string): SelfTime[] {
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node.callFrame, root)]))
  return sharesOf(profile, span, names)
}

/**
 * Returns packages and top-level folders by CPU time, most expensive first. Time in the Node.js
 * runtime is attributed to the package or folder that called it, or to `Node.js` if there is no
 * such caller.
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
/** V8's frames for time in which no JavaScript runs. It is not attributed to a caller. */
const alone = /^\((idle|program|garbage collector)\)$/
const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/

/** Returns the package or folder of a frame, or null if its time is attributed to the caller. */
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

/**
 * Returns the function and location of a frame. The path is relative to `root`, so that it is the
 * same on every machine.
 */
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
