/** What the kernel says of a process: its children and its memory. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '../../platform/postgres/postgres.ts'

/** Workers of a gateway are processes of their own, and their work is the gateway's. */
export function withChildren(pids: readonly number[]): number[] {
  return pids.flatMap((pid) => [pid, ...withChildren(childrenOf(pid))])
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    idsIn(contentOf(`/proc/${pid}/task/${thread}/children`))
  )
}

function idsIn(listed: string): number[] {
  return listed.split(' ').filter(Boolean).map(Number)
}

/** A thread may end between the listing and the reading. */
function contentOf(file: string): string {
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

/** The process that all others of a Postgres on this machine come from. */
export async function postmasterId(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ data_directory: string }>('show data_directory')
  const file = join(row?.data_directory ?? '', 'postmaster.pid')
  return Number(readFileSync(file, 'utf8').split('\n')[0])
}
