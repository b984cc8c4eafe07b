/** Starts processes, reports crashes, optionally restarts crashed processes, and stops all
 * processes.
 */
import { join } from 'node:path'
import { createGuardian } from './guardian.ts'
import type { Guardian } from './guardian.ts'
import { signalTree } from './process-tree.ts'
import { end, launch, ServiceCrash, signalGroup, waitReady } from './process.ts'
import type { ProcessSpec, RunningProcess } from './process.ts'
import { claimRunFile } from './run-file.ts'
import type { RunFile } from './run-file.ts'

/**
 * Initial delay before a crashed process is restarted. Doubles while the process keeps crashing.
 */
const REVIVAL_DELAY_MIN_MS = 500
const REVIVAL_DELAY_MAX_MS = 8_000
const CRASH_WINDOW_MS = 60_000

export type Supervisor = {
  /** Resolves with the process ID when the probe returns true. */
  start(spec: ProcessSpec): Promise<number>
  /** Sends a signal, for example SIGSTOP, to a process and all its descendants. */
  signal(name: string, signal: NodeJS.Signals): void
  /** Kills the process without reporting a crash or restarting it. Idempotent. */
  kill(name: string): Promise<void>
  /** Starts a killed process again. Does nothing while the process runs. */
  restart(name: string): Promise<void>
  pids(): Record<string, number>
  stop(name: string): Promise<void>
  /** Stops all remaining processes concurrently and deletes the run file. Idempotent. */
  stopAll(): Promise<void>
}

export type SupervisorOptions = {
  /** Folder that contains logs/ and run/. */
  folder: string
  /** Name of the run file: `run/<name>.json`. */
  name: string
  /** Whether to restart crashed processes. */
  keepAlive?: boolean | undefined
  onCrash?: ((crash: ServiceCrash) => void) | undefined
  onRevived?: ((name: string) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Creates a function that returns the delay before a crashed process is restarted. */
function createRevivalDelay(): (name: string) => number {
  const crashes = new Map<string, number[]>()
  return (name) => {
    const now = performance.now()
    const recent = (crashes.get(name) ?? []).filter((at) => now - at < CRASH_WINDOW_MS)
    crashes.set(name, [...recent, now])
    return Math.min(REVIVAL_DELAY_MIN_MS * 2 ** recent.length, REVIVAL_DELAY_MAX_MS)
  }
}

type State = {
  options: SupervisorOptions
  runFile: RunFile
  guardian: Guardian
  all: Map<string, RunningProcess>
  /** Specification of each process that was started. */
  specs: Map<string, ProcessSpec>
  revivalDelay: (name: string) => number
  stopped: Promise<void> | undefined
}

/** Restarts a process until it is ready or the supervisor stops. Reports only the first crash. */
function revive(state: State, spec: ProcessSpec): void {
  if (state.options.keepAlive !== true) return
  const timer = setTimeout(() => {
    if (state.stopped !== undefined) return
    start(state, spec).then(
      () => state.options.onRevived?.(spec.name),
      async () => {
        await state.all.get(spec.name)?.exited
        revive(state, spec)
      }
    )
  }, state.revivalDelay(spec.name))
  timer.unref()
}

function onExit(state: State, running: RunningProcess, how: string): void {
  const { spec, pid, logPath } = running
  // Kills the rest of the process group, for example a child that outlived its parent.
  signalGroup(pid, 'SIGKILL')
  state.guardian.drop(pid)
  state.runFile.drop(pid)
  if (state.all.get(spec.name) === running) state.all.delete(spec.name)
  if (!running.ready || running.stopping) return
  state.options.onCrash?.(new ServiceCrash(spec, how, logPath))
  revive(state, spec)
}

async function start(state: State, spec: ProcessSpec): Promise<number> {
  const { options, guardian, runFile, all } = state
  options.signal?.throwIfAborted()
  if (state.stopped !== undefined) throw new Error('the supervisor is stopping')
  const running = await launch(spec, join(options.folder, 'logs', `${spec.name}.log`))
  all.set(spec.name, running)
  state.specs.set(spec.name, spec)
  guardian.add(running.pid, spec.stopSignal ?? 'SIGTERM')
  runFile.add(spec.name, running.pid)
  void running.exited.then((how) => onExit(state, running, how))
  await waitReady(running, options.signal)
  return running.pid
}

async function kill({ all }: State, name: string): Promise<void> {
  const running = all.get(name)
  if (running === undefined) return
  running.stopping = true
  signalGroup(running.pid, 'SIGKILL')
  await running.exited
}

async function restart(state: State, name: string): Promise<void> {
  if (state.all.has(name)) return
  const spec = state.specs.get(name)
  if (spec === undefined) throw new Error(`${name} was never started`)
  await start(state, spec)
}

async function stopEverything({ all, guardian, runFile }: State): Promise<void> {
  await Promise.all([...all.values()].map(end))
  guardian.release()
  runFile.release()
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const state: State = {
    options,
    runFile: claimRunFile(join(options.folder, 'run', `${options.name}.json`)),
    guardian: createGuardian(),
    all: new Map(),
    specs: new Map(),
    revivalDelay: createRevivalDelay(),
    stopped: undefined
  }
  return {
    start: async (spec) => await start(state, spec),
    stop: async (name) => {
      const running = state.all.get(name)
      if (running !== undefined) await end(running)
    },
    signal: (name, signal) => {
      const running = state.all.get(name)
      if (running === undefined) throw new Error(`${name} is not running`)
      signalTree(running.pid, signal)
    },
    kill: async (name) => await kill(state, name),
    restart: async (name) => await restart(state, name),
    pids: () => Object.fromEntries([...state.all].map(([name, { pid }]) => [name, pid])),
    stopAll: async () => {
      state.stopped ??= stopEverything(state)
      await state.stopped
    }
  }
}
