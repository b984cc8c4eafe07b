/** What the kernel says of a process: its children and its memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Workers of a gateway are processes of their own, and their work is the gateway's. */
export function withChildren(pids: readonly number[]): number[] {
  return pids.flatMap((pid) => [pid, ...withChildren(childrenOf(pid))])
}

function childrenOf(pid: number): number[] {
  // A connection of Postgres may have ended meanwhile.
  if (!existsSync(`/proc/${pid}/task`)) return []
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    idsIn(contentOf(`/proc/${pid}/task/${thread}/children`))
  )
}

function idsIn(listed: string): number[] {
  return listed.split(' ').filter(Boolean).map(Number)
}

/** Empty of a process or thread that has ended: it may do so between a listing and the reading. */
export function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Resident memory of all of them, children included, in MiB. */
export function residentMiB(pids: readonly number[]): number {
  return withChildren(pids).reduce((sum, pid) => sum + residentOf(pid), 0)
}

function residentOf(pid: number): number {
  return vmRss(contentOf(`/proc/${pid}/status`)) / 1024
}

/** The line `VmRSS:   123456 kB` of /proc/<pid>/status, in kB; 0 of a process that has ended. */
export function vmRss(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}
