/** One container: created, waited for, named when it crashes, frozen, ended and removed. */
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { GenericContainer, Wait } from 'testcontainers'
import type { ContainerRuntimeClient } from 'testcontainers'
import { ServiceCrash } from '../processes/process.ts'
import { waitUntil } from '../wait-until.ts'
import type { ContainerSpec } from './container-spec.ts'

/** What Docker itself answers about a container of ours. */
type Handle = ReturnType<ContainerRuntimeClient['container']['getById']>

export type ContainerOptions = {
  client: ContainerRuntimeClient
  spec: ContainerSpec
  logPath: string
  labels: Record<string, string>
  /** The named volume that keeps the data; without one it goes with the container. */
  volume?: string | undefined
  signal: AbortSignal
  /** It was ready and has ended without having been told to. */
  onCrash: (crash: ServiceCrash) => void
}

export type Container = {
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends it at once; not reported as a crash, since it was told to. */
  kill(): Promise<void>
  /** Starts it again after a crash, with its data and on its ports; nothing while it runs. */
  revive(): Promise<void>
  /** Ends and removes it; safe to call twice. */
  remove(): Promise<void>
}

/** Published on the loopback address alone: testcontainers would open its ports to the network. */
class LoopbackContainer extends GenericContainer {
  id: string | undefined

  protected override async beforeContainerCreated(): Promise<void> {
    const bindings = (this.hostConfig.PortBindings ?? {}) as Record<string, { HostPort: string }[]>
    this.hostConfig.PortBindings = Object.fromEntries(
      Object.entries(bindings).map(([port, hosts]) => [
        port,
        hosts.map(({ HostPort }) => ({ HostIp: '127.0.0.1', HostPort }))
      ])
    )
    await Promise.resolve()
  }

  protected override async containerCreated(id: string): Promise<void> {
    this.id = id
    await Promise.resolve()
  }
}

function describe({ spec, labels, volume }: ContainerOptions): LoopbackContainer {
  const container = new LoopbackContainer(spec.image)
    .withLabels(labels)
    .withExposedPorts(...spec.ports)
    .withEnvironment(spec.environment ?? {})
    // Whether it is ready is asked in its own protocol, from outside, where its clients are.
    .withWaitStrategy(Wait.forAll([]))
  if (spec.command !== undefined) container.withCommand(spec.command)
  if (volume !== undefined) {
    container.withBindMounts([{ source: volume, target: spec.dataFolder, mode: 'rw' }])
  }
  return container
}

/** The log of the run before is kept beside it, so that a crash can be read after a restart. */
function keepOldLog(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path)) renameSync(path, path.replace(/\.log$/, '.previous.log'))
}

type State = {
  options: ContainerOptions
  handle: Handle
  /** Resolves with a phrase such as "ended with exit code 1". */
  exited: Promise<string>
  ready: boolean
  removed: Promise<void> | undefined
}

async function writeLog({ options, handle }: State, since = 0): Promise<void> {
  const log = await options.client.container.logs(handle, { since })
  log.on('error', () => {})
  log.pipe(createWriteStream(options.logPath, { flags: 'a', mode: 0o600 }))
}

async function untilExit(handle: Handle): Promise<string> {
  try {
    const { StatusCode } = (await handle.wait()) as { StatusCode: number }
    return `ended with exit code ${StatusCode}`
  } catch {
    return 'was removed'
  }
}

function crashOf({ options: { spec, logPath } }: State, how: string): ServiceCrash {
  const run = { ...spec, command: 'docker', args: ['run', spec.image] }
  return new ServiceCrash(run, how, logPath)
}

function watch(state: State): void {
  state.ready = false
  state.exited = untilExit(state.handle)
  void state.exited.then((how) => {
    if (!state.ready || state.removed !== undefined) return
    state.ready = false
    state.options.onCrash(crashOf(state, how))
  })
}

/** Rejects with a ServiceCrash as soon as the container ends, or when the time is over. */
async function waitReady(state: State): Promise<void> {
  const { spec, logPath, signal } = state.options
  const crashed = new AbortController()
  const crash = state.exited.then((how) => {
    crashed.abort()
    throw crashOf(state, how)
  })
  const ready = waitUntil({
    what: `${spec.title} did not become ready (its log is ${logPath})`,
    timeoutMs: spec.readyTimeoutMs,
    probe: spec.probe,
    signal: AbortSignal.any([signal, crashed.signal])
  })
  // Whichever loses the race may still reject, long after anybody listens.
  crash.catch(() => {})
  ready.catch(() => {})
  await Promise.race([crash, ready])
  state.ready = true
}

/** Docker takes a second pause or resume for a mistake; with a process either does nothing. */
async function isPaused(handle: Handle): Promise<boolean> {
  return (await handle.inspect()).State.Paused
}

async function kill(state: State): Promise<void> {
  if (!(await isRunning(state.handle))) return
  state.ready = false
  await state.handle.kill()
  await state.exited
}

async function isRunning(handle: Handle): Promise<boolean> {
  return (await handle.inspect()).State.Running
}

async function end({ options, handle }: State): Promise<void> {
  const { spec, volume } = options
  // A frozen process would not hear that it is asked to stop.
  await handle.unpause().catch(() => {})
  // What throws its data away has nothing to finish.
  if (volume !== undefined) {
    await handle.stop({ t: Math.ceil(spec.stopDeadlineMs / 1000) }).catch(() => {})
  }
  await handle.remove({ force: true, v: true }).catch(() => {})
}

async function create(options: ContainerOptions): Promise<Handle> {
  const container = describe(options)
  try {
    await container.start()
  } catch (cause) {
    // Created and not started, e.g. because a port was taken in the meantime.
    if (container.id !== undefined) {
      const handle = options.client.container.getById(container.id)
      await handle.remove({ force: true, v: true }).catch(() => {})
    }
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${options.spec.title} could not be started by Docker: ${why}`, { cause })
  }
  if (container.id === undefined) throw new Error('Docker has named no container')
  return options.client.container.getById(container.id)
}

/** Hands the container back before it is ready, so that whoever gives up can remove it. */
export async function createContainer(
  options: ContainerOptions
): Promise<{ container: Container; ready: Promise<void> }> {
  options.signal.throwIfAborted()
  keepOldLog(options.logPath)
  const handle = await create(options)
  const state: State = {
    options,
    handle,
    exited: Promise.resolve(''),
    ready: false,
    removed: undefined
  }
  watch(state)
  await writeLog(state)
  const container: Container = {
    pause: async () => {
      if (!(await isPaused(handle))) await handle.pause()
    },
    resume: async () => {
      if (await isPaused(handle)) await handle.unpause()
    },
    kill: async () => await kill(state),
    revive: async () => {
      if (await isRunning(handle)) return
      const since = Math.floor((performance.timeOrigin + performance.now()) / 1000)
      await handle.start()
      watch(state)
      await writeLog(state, since)
      await waitReady(state)
    },
    remove: async () => {
      state.removed ??= end(state)
      await state.removed
    }
  }
  return { container, ready: waitReady(state) }
}
