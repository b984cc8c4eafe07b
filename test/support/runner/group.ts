/** A child process with all that it starts: run to its end, or ended together at a signal. */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { createGuardian } from '../../../stack/processes/guardian.ts'
import { signalGroup } from '../../../stack/processes/process.ts'

const killAfterMs = 10_000

export type GroupOptions = {
  command: string
  args: string[]
  environment: NodeJS.ProcessEnv
  /** Collects the output instead of showing it. */
  quiet?: boolean
  /** Yields the processor to everything else. */
  isPatient?: boolean
  signal: AbortSignal
  timeoutMs: number
}

export type GroupResult = { code: number | null; output: string; isLate: boolean }

/** Resolves once the process has ended and its output is complete. */
export async function runGroup(options: GroupOptions): Promise<GroupResult> {
  options.signal.throwIfAborted()
  const child = spawn(options.command, options.args, {
    detached: true,
    env: options.environment,
    stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit']
  })
  if (options.isPatient === true && child.pid !== undefined) {
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
  // Whatever it started and did not end goes with it.
  if (child.pid !== undefined) {
    signalGroup(child.pid, 'SIGKILL')
    guardian.drop(child.pid)
  }
  guardian.release()
  return { code, output: Buffer.concat(chunks).toString('utf8').trimEnd(), isLate: ender.isLate() }
}

/** Asks the group to stop when the run is given up or takes too long, and then insists. */
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
