/** Keeps a stack running after the run that started it, so that the next run starts in seconds. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { isAlive } from '../../../stack/processes/run-file.ts'
import type { Identity } from '../../../stack/processes/run-file.ts'
import { waitUntil } from '../wait-until.ts'
import { markVariable } from './leftovers.ts'
import type { SharedServices } from './test-stack.ts'

const folder = '.sluice/test-stack'
export const keptFile = `${folder}/services.json`
const logFile = `${folder}/log`
/** The first start downloads Kafka and the registry. */
const startMs = 600_000
const stopMs = 60_000

export type KeptServices = SharedServices & Identity

/** Returns null if no kept stack is running. */
export function findKeptStack(): KeptServices | null {
  try {
    const kept = JSON.parse(readFileSync(keptFile, 'utf8')) as KeptServices
    return isAlive(kept) ? kept : null
  } catch {
    return null
  }
}

/** @throws an error with the log of the stack if it does not start */
export async function startKeptStack(signal: AbortSignal): Promise<KeptServices> {
  mkdirSync(folder, { recursive: true })
  const log = openSync(logFile, 'w')
  // Without the mark of this run, which would report the stack as a leftover process.
  const environment = { ...process.env, [markVariable]: '' }
  const keeper = spawn(process.execPath, ['--no-warnings', 'test/support/runner/keep-stack.ts'], {
    detached: true,
    env: environment,
    stdio: ['ignore', log, log]
  })
  closeSync(log)
  keeper.unref()
  let hasEnded = false
  keeper.once('exit', () => (hasEnded = true)).once('error', () => (hasEnded = true))
  const stop = (): void => void keeper.kill()
  signal.addEventListener('abort', stop)
  await waitUntil('the stack started', () => findKeptStack() !== null || hasEnded, startMs)
  signal.removeEventListener('abort', stop)
  const kept = findKeptStack()
  if (kept === null) throw new Error(readFileSync(logFile, 'utf8').trimEnd())
  return kept
}

/** Resolves with true if a kept stack was running. */
export async function stopKeptStack(): Promise<boolean> {
  const kept = findKeptStack()
  if (kept === null) return false
  process.kill(kept.pid, 'SIGTERM')
  await waitUntil('the stack stopped', () => !isAlive(kept), stopMs)
  return true
}
