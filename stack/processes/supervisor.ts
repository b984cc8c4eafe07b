/** Starts processes, reports and (when asked) revives the one that crashed, and stops them all. */
import { join } from 'node:path'
import { createGuardian } from './guardian.ts'
import type { Guardian } from './guardian.ts'
import { signalTree } from './process-tree.ts'
import { end, launch, ServiceCrash, signalGroup, waitReady } from './process.ts'
import type { ProcessSpec, RunningProcess } from './process.ts'
import { claimRunFile } from './run-file.ts'
import type { RunFile } from './run-file.ts'

/** How long a crashed process is left alone: longer each time, as long as it keeps crashing. */
const REVIVAL_DELAY_MIN_MS = 500
const REVIVAL_DELAY_MAX_MS = 8_000
const CRASH_WINDOW_MS = 60_000

export type Supervisor = {
  /** Resolves with the process id once the probe has answered true. */
  start(spec: ProcessSpec): Promise<number>
  /** Sends a signal to the whole process group, e.g. SIGSTOP. */
  signal(name: string, signal: NodeJS.Signals): void
  /** SIGKILL, as a crash would end it, but neither reported nor revived; does nothing twice. */
  kill(name: string): Promise<void>
  /** Starts what was killed again, as it was started before; does nothing while it runs. */
  restart(name: string): Promise<void>
  pids(): Record<string, number>
  stop(name: string): Promise<void>
  /** Stops what is left, all at once, and gives up the run file; safe to call twice. */
  stopAll(): Promise<void>
}

export type SupervisorOptions = {
  /** Holds logs/ and run/. */
  folder: string
  /** One run file per supervisor: run/<name>.json */
  name: string
  /** Starts a crashed process again, until it is ready. */
  keepAlive?: boolean | undefined
  onCrash?: ((crash: ServiceCrash) => void) | undefined
  onRevived?: ((name: string) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The delay before a process that ended just now is started again. */
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
  /** How each was started. */
  specs: Map<string, ProcessSpec>
  revivalDelay: (name: string) => number
  stopped: Promise<void> | undefined
}

/** Tries until it is ready again or everything is stopped; only the first crash is reported. */
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
  // What is left of its process group, e.g. a child that outlived its parent, goes too.
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
  if (state.stopped !== undefined) throw new Error('everything is being stopped')
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
