/** Processor time of another process, as the kernel's scheduler counts it. */
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Microseconds that all threads of `pid` have run so far. The scheduler counts nanoseconds;
 * /proc/<pid>/stat only samples a hundred times a second and misses what works in short bursts.
 */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.reduce((sum, thread) => sum + nanosecondsOf(pid, thread), 0)
  return nanoseconds / 1000
}

function nanosecondsOf(pid: number, thread: string): number {
  try {
    return ranFor(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
  } catch {
    // The thread ended between the listing and the reading.
    return 0
  }
}

/** The first field of schedstat: nanoseconds on a processor. */
export function ranFor(schedstat: string): number {
  return Number(schedstat.split(' ')[0])
}
