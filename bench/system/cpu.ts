/** Reads the CPU time of processes from /proc. */
import { readdirSync, readFileSync } from 'node:fs'
import { contentOf, withChildren } from './process-family.ts'

/**
 * Returns the CPU time of all threads of `pids` in microseconds. Reads schedstat, which counts
 * nanoseconds, because /proc/<pid>/stat has a resolution of 10 ms.
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

/** Returns the first field of schedstat: nanoseconds on a processor. */
export function ranFor(schedstat: string): number {
  return Number(schedstat.split(' ')[0])
}

/** Microseconds per clock tick on Linux. */
const tickMicroseconds = 10_000

/**
 * Returns the CPU time of processes and their descendants in microseconds, with a resolution of 10
 * ms per process. It includes ended threads and children, because Java ends threads and Postgres
 * runs a process per connection.
 */
export function familyMicroseconds(pids: readonly number[]): number {
  const ticks = withChildren(pids).map((pid) => familyTicksIn(contentOf(`/proc/${pid}/stat`)))
  return ticks.reduce((sum, each) => sum + each, 0) * tickMicroseconds
}

/**
 * Returns the user and system time in /proc/<pid>/stat, in clock ticks. It includes ended children
 * that the process has waited for.
 */
export function familyTicksIn(stat: string): number {
  return fieldsOf(stat)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0)
}

/** Returns the user and system time of one process, in clock ticks of 10 ms. */
export function modesOf(pid: number): { readonly user: number; readonly system: number } {
  const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return { user: Number(fields[11]), system: Number(fields[12]) }
}

/**
 * Returns the fields of /proc/<pid>/stat after the process name, starting with the process state.
 * The name can contain any character.
 */
export function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
