/** Gives the load a core of its own, so that it cannot take what the system works with. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { withChildren } from '../system/process-family.ts'

/**
 * The last core is the load's, the others are everybody else's below this process.
 * @returns false where that cannot be done: on a single core, or without taskset (Linux has it).
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

/** With all of its threads. */
async function pin(pid: number, cores: string): Promise<void> {
  await promisify(execFile)('taskset', ['-acp', cores, String(pid)])
}
