/** Pins the load process to its own core, so that it takes no CPU time from the system under test.
 */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { withChildren } from '../system/process-family.ts'

/**
 * Pins the load process to the last core, and this process and its other descendants to the other
 * cores.
 * @returns false if there is only one core, or taskset (util-linux) fails or is not installed
 */
export async function pinLoad(loadPid: number): Promise<boolean> {
  const last = availableParallelism() - 1
  if (last < 1) return false
  const others = last === 1 ? '0' : `0-${last - 1}`
  try {
    for (const pid of withChildren([process.pid])) {
      if (pid !== loadPid) await pin(pid, others)
    }
    await pin(loadPid, String(last))
    return true
  } catch {
    return false
  }
}

/** Pins all threads of a process. */
async function pin(pid: number, cores: string): Promise<void> {
  await promisify(execFile)('taskset', ['-acp', cores, String(pid)])
}
