/** Keeps a stack running after the run that started it, so that the next run starts in seconds. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { isAlive, ownerOf } from '../../../stack/processes/run-file.ts'
import type { ProcessIdentity } from '../../../stack/processes/run-file.ts'
import { waitUntil } from '../wait-until.ts'
import { markVariable } from './leftovers.ts'
import type { SharedServices } from './test-stack.ts'

const folder = '.sluice/test-stack'
export const keptFile = `${folder}/services.json`
/** Claim file of the process that runs the stack. */
export const keeperFile = `${folder}/keeper.json`
const logFile = `${folder}/log`
/**
 * Maximum time to start in milliseconds. The first start downloads Kafka and the schema registry.
 */
const startMs = 600_000
const stopMs = 60_000

export type KeptServices = SharedServices & ProcessIdentity

/** Returns the kept stack; null if none is running. */
export function findKeptStack(): KeptServices | null {
  try {
    const kept = JSON.parse(readFileSync(keptFile, 'utf8')) as KeptServices
    return isAlive(kept) ? kept : null
  } catch {
    return null
  }
}

/**
 * Starts the stack, or waits for it if another run is already starting it.
 * @throws {Error} that contains the log of the stack, if it does not start
 */
export async function startKeptStack(signal: AbortSignal): Promise<KeptServices> {
  const keeper = ownerOf(keeperFile) === null ? startKeeper() : null
  let hasEnded = keeper === null
  keeper?.once('exit', () => (hasEnded = true)).once('error', () => (hasEnded = true))
  const stop = (): void => void keeper?.kill()
  signal.addEventListener('abort', stop)
  const isOver = (): boolean => hasEnded && ownerOf(keeperFile) === null
  await waitUntil('the stack started', () => findKeptStack() !== null || isOver(), startMs)
  signal.removeEventListener('abort', stop)
  const kept = findKeptStack()
  if (kept === null) throw new Error(readFileSync(logFile, 'utf8').trimEnd())
  return kept
}

function startKeeper(): ChildProcess {
  mkdirSync(folder, { recursive: true })
  rmSync(logFile, { force: true })
  const log = openSync(logFile, 'a')
  // Clear the run's mark, because otherwise the stack would be reported as a leftover process.
  const environment = { ...process.env, [markVariable]: '' }
  const keeper = spawn(process.execPath, ['--no-warnings', 'test/support/runner/keep-stack.ts'], {
    detached: true,
    env: environment,
    stdio: ['ignore', log, log]
  })
  closeSync(log)
  keeper.unref()
  return keeper
}

/** Stops the kept stack. Resolves with false if none was running. */
export async function stopKeptStack(): Promise<boolean> {
  const kept = findKeptStack()
  if (kept === null) return false
  process.kill(kept.pid, 'SIGTERM')
  await waitUntil('the stack stopped', () => !isAlive(kept), stopMs)
  return true
}
