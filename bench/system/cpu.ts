/** Processor time of other processes, as the kernel's scheduler counts it. */
import { readdirSync, readFileSync } from 'node:fs'
import { contentOf, withChildren } from './process-family.ts'

/**
 * Microseconds that all threads of `pids` have run so far, in user and kernel mode.
 * The scheduler counts nanoseconds, where /proc/<pid>/stat shows the same in steps of 10 ms.
 */
export function cpuMicroseconds(pids: readonly number[]): number {
  const files = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`)
  )
  return files.reduce((sum, file) => sum + nanosecondsOf(file), 0) / 1000
}

function nanosecondsOf(file: string): number {
  return ranFor(contentOf(file))
}

/** The first field of schedstat: nanoseconds on a processor. */
export function ranFor(schedstat: string): number {
  return Number(schedstat.split(' ')[0])
}

/** Of a clock tick, on every Linux. */
const tickMicroseconds = 10_000

/**
 * Of processes and their children, with threads and children that have ended: Java ends threads,
 * and Postgres has a process for each connection. In steps of 10 ms a process.
 */
export function familyMicroseconds(pids: readonly number[]): number {
  const ticks = withChildren(pids).map((pid) => familyTicksIn(contentOf(`/proc/${pid}/stat`)))
  return ticks.reduce((sum, each) => sum + each, 0) * tickMicroseconds
}

/** User and system time of a process and of the children that it has waited for. */
export function familyTicksIn(stat: string): number {
  return fieldsOf(stat)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0)
}

/** Of one process, in clock ticks of 10 ms: how much of its time was its own, and the kernel's. */
export function modesOf(pid: number): { readonly user: number; readonly system: number } {
  const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return { user: Number(fields[11]), system: Number(fields[12]) }
}

/** Behind the name, which may hold anything; the first is the state of the process. */
export function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
