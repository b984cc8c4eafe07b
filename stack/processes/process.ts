/** Controls one child process: starts it with a log file, waits until it is ready, and stops it. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { signalTree } from './process-tree.ts'
import { waitUntil } from '../wait-until.ts'

const KILL_WAIT_MS = 5_000
/** Stop timeout for a process that is not ready. It has no work to finish. */
const UNREADY_STOP_MAX_MS = 5_000
const LAST_LINES = 5

export type ProcessSpec = {
  name: string
  /** Process name for messages, for example "Kafka". */
  title: string
  command: string
  args: string[]
  cwd?: string | undefined
  environment?: NodeJS.ProcessEnv | undefined
  uid?: number | undefined
  gid?: number | undefined
  probe: () => Promise<boolean>
  readyTimeoutMs: number
  stopSignal?: NodeJS.Signals | undefined
  stopDeadlineMs: number
}

export type RunningProcess = {
  spec: ProcessSpec
  pid: number
  logPath: string
  /** Resolves with a phrase such as "exited with code 1". */
  exited: Promise<string>
  ready: boolean
  stopping: boolean
}

/** Thrown or reported when a process exits unexpectedly. */
export class ServiceCrash extends Error {
  readonly service: string
  readonly logPath: string
  constructor(spec: ProcessSpec, how: string, logPath: string) {
    super(`${spec.title} ${how}; its log is ${logPath}${lastLinesOf(logPath)}`)
    this.name = 'ServiceCrash'
    this.service = spec.name
    this.logPath = logPath
  }
}

function lastLinesOf(logPath: string): string {
  if (!existsSync(logPath)) return ''
  const lines = readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-LAST_LINES)
  return lines.join('') === '' ? '' : `\n${lines.map((line) => `    ${line}`).join('\n')}`
}

/** Renames the log of the previous run, so that a crash can still be examined after a restart. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path)) renameSync(path, path.replace(/\.log$/, '.previous.log'))
  return openSync(path, 'a', 0o600)
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // All processes of the group have exited.
  }
}

/**
 * Launches a process as the leader of its own process group, so that Ctrl-C reaches only the
 * parent, which stops its children in order.
 */
export async function launch(spec: ProcessSpec, logPath: string): Promise<RunningProcess> {
  const log = openLog(logPath)
  const child = spawn(spec.command, spec.args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: spec.environment ?? process.env,
    ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    ...(spec.uid === undefined ? {} : { uid: spec.uid }),
    ...(spec.gid === undefined ? {} : { gid: spec.gid })
  })
  closeSync(log)
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`cannot be started (${error.message})`))
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `exited with code ${code}` : `was killed by ${signal}`)
    })
  })
  if (child.pid === undefined) throw new ServiceCrash(spec, await exited, logPath)
  return { spec, pid: child.pid, logPath, exited, ready: false, stopping: false }
}

/** Rejects with a ServiceCrash if the process exits, or with an error after the timeout. */
export async function waitReady(running: RunningProcess, signal?: AbortSignal): Promise<void> {
  const { spec, logPath } = running
  const crashed = new AbortController()
  const crash = running.exited.then((how) => {
    crashed.abort()
    throw new ServiceCrash(spec, how, logPath)
  })
  const ready = waitUntil({
    what: `${spec.title} did not become ready (its log is ${logPath})`,
    timeoutMs: spec.readyTimeoutMs,
    probe: spec.probe,
    signal: signal === undefined ? crashed.signal : AbortSignal.any([signal, crashed.signal])
  })
  // Prevents an unhandled rejection of the promise that loses the race.
  crash.catch(() => {})
  ready.catch(() => {})
  await Promise.race([crash, ready])
  running.ready = true
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return settled
}

/** Sends the stop signal, and sends SIGKILL if the process is still running at the deadline. */
export async function end(running: RunningProcess): Promise<void> {
  const { spec, pid, exited } = running
  running.stopping = true
  // A paused process cannot handle the stop signal.
  signalTree(pid, 'SIGCONT')
  signalGroup(pid, spec.stopSignal ?? 'SIGTERM')
  const unreadyMs = Math.min(spec.stopDeadlineMs, UNREADY_STOP_MAX_MS)
  const deadlineMs = running.ready ? spec.stopDeadlineMs : unreadyMs
  if (await settlesWithin(exited, deadlineMs)) return
  signalGroup(pid, 'SIGKILL')
  await settlesWithin(exited, KILL_WAIT_MS)
}
