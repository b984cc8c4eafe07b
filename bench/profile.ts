/** Reads a V8 processor profile: where a process spent its own time. */

/** As much of a .cpuprofile as is read here; times are microseconds of the monotonic clock. */
export interface CpuProfile {
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly nodes: readonly {
    readonly id: number
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
  const place = url.replace('file://', '').replace(root, '').replace(/^\//, '')
  return place === '' ? name : `${name} ${place}:${lineNumber + 1}`
}

export function linesOf(times: readonly SelfTime[]): string[] {
  return times.map(({ where, share }) => `${(share * 100).toFixed(1).padStart(5)}%  ${where}`)
}
