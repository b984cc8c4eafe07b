/** Sends signals to a process and its descendants. */
import { execFileSync } from 'node:child_process'

/**
 * Sends a signal to the process group of `pid` and to all descendants, because Postgres backends
 * have their own sessions and process groups.
 */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  send(-pid, signal)
  for (const descendant of descendantsOf(pid, readParents())) send(descendant, signal)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already exited.
  }
}

/** Returns all descendants of a process. `parents` maps each process to its parent. */
function descendantsOf(pid: number, parents: ReadonlyMap<number, number>): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child)
  return children.flatMap((child) => [child, ...descendantsOf(child, parents)])
}

function readParents(): Map<number, number> {
  try {
    const listed = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    const rows = listed
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
    return new Map(rows.map(([child = 0, parent = 0]) => [child, parent]))
  } catch {
    // Without ps, only the process group receives the signal.
    return new Map()
  }
}
