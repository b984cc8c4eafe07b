/** Reads the children and the memory of a process from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the given pids and the pids of all their descendants, because gateway workers are child
 * processes.
 */
export function withChildren(pids: readonly number[]): number[] {
  return pids.flatMap((pid) => [pid, ...withChildren(childrenOf(pid))])
}

function childrenOf(pid: number): number[] {
  // The process, for example a Postgres backend, may have ended since it was listed.
  if (!existsSync(`/proc/${pid}/task`)) return []
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    idsIn(contentOf(`/proc/${pid}/task/${thread}/children`))
  )
}

function idsIn(listed: string): number[] {
  return listed.split(' ').filter(Boolean).map(Number)
}

/**
 * Returns the content of a file in /proc, or an empty string if the process or thread has ended.
 */
export function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the resident memory of the processes and their descendants in MiB. */
export function residentMiB(pids: readonly number[]): number {
  return withChildren(pids).reduce((sum, pid) => sum + residentOf(pid), 0)
}

function residentOf(pid: number): number {
  return vmRss(contentOf(`/proc/${pid}/status`)) / 1024
}

/**
 * Returns the kilobytes in the line `VmRSS: 123456 kB` of /proc/<pid>/status; 0 if the process has
 * ended.
 */
function vmRss(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}
