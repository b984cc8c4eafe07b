/** Runs a command in its own process group, and stops the whole group on cancellation or timeout.
 */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { createGuardian } from '../../../stack/processes/guardian.ts'
import { signalGroup } from '../../../stack/processes/process.ts'

const killAfterMs = 10_000

export type GroupOptions = {
  command: string
  args: string[]
  environment: NodeJS.ProcessEnv
  /** Collects the output instead of printing it. */
  quiet?: boolean
  /** Runs with low CPU priority. */
  isLowPriority?: boolean
  signal: AbortSignal
  timeoutMs: number
}

export type GroupResult = { code: number | null; output: string; isLate: boolean }

/** Runs the command and resolves when it has exited and its output is complete. */
export async function runGroup(options: GroupOptions): Promise<GroupResult> {
  options.signal.throwIfAborted()
  const child = spawn(options.command, options.args, {
    detached: true,
    env: options.environment,
    stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit']
  })
  if (options.isLowPriority === true && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  }
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  }
  const { promise: ended, resolve } = Promise.withResolvers<number | null>()
  child.once('error', () => resolve(null))
  child.once('close', resolve)

  const guardian = createGuardian()
  if (child.pid !== undefined) guardian.add(child.pid, 'SIGTERM')
  const ender = endOnTime(options, child.pid)
  const code = await ended
  ender.clear()
  // Kill descendants that are still running.
  if (child.pid !== undefined) {
    signalGroup(child.pid, 'SIGKILL')
    guardian.drop(child.pid)
  }
  guardian.release()
  return { code, output: Buffer.concat(chunks).toString('utf8').trimEnd(), isLate: ender.isLate() }
}

/**
 * Stops the group when the run is cancelled or times out, and kills it if it does not stop in time.
 */
function endOnTime({ signal, timeoutMs }: GroupOptions, pid: number | undefined) {
  let isLate = false
  let insist: NodeJS.Timeout | undefined
  const stop = (): void => {
    if (pid === undefined) return
    signalGroup(pid, 'SIGTERM')
    insist ??= setTimeout(() => signalGroup(pid, 'SIGKILL'), killAfterMs)
  }
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop)
  return {
    isLate: () => isLate,
    clear: () => {
      clearTimeout(timer)
      clearTimeout(insist)
      signal.removeEventListener('abort', stop)
    }
  }
}
