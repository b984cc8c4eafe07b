/** Controls one container: creates it, waits until it is ready, reports crashes, and removes it. */
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { GenericContainer, Wait } from 'testcontainers'
import type { ContainerRuntimeClient } from 'testcontainers'
import { ServiceCrash } from '../processes/process.ts'
import { waitUntil } from '../wait-until.ts'
import type { ContainerSpec } from './container-spec.ts'

/** Container handle of the Docker client. */
type Handle = ReturnType<ContainerRuntimeClient['container']['getById']>

type ContainerOptions = {
  client: ContainerRuntimeClient
  spec: ContainerSpec
  logPath: string
  labels: Record<string, string>
  /** Name of the data volume. If undefined, the data is removed with the container. */
  volume?: string | undefined
  signal: AbortSignal
  /** Called if the container exits unexpectedly after it was ready. */
  onCrash: (crash: ServiceCrash) => void
}

export type Container = {
  pause(): Promise<void>
  resume(): Promise<void>
  /** Kills the container immediately, without reporting a crash. */
  kill(): Promise<void>
  /** Restarts a crashed container with the same data and ports. Does nothing if it is running. */
  revive(): Promise<void>
  /** Stops and removes the container. Idempotent. */
  remove(): Promise<void>
}

/**
 * Publishes ports only on the loopback address. Testcontainers would publish them on all addresses.
 */
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
    // Does not wait here, because readiness is probed from outside with the protocol of the
    // service.
    .withWaitStrategy(Wait.forAll([]))
  if (spec.command !== undefined) container.withCommand(spec.command)
  if (volume !== undefined) {
    container.withBindMounts([{ source: volume, target: spec.dataFolder, mode: 'rw' }])
  }
  return container
}

/** Renames the log of the previous run, so that a crash can still be examined after a restart. */
function keepOldLog(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path)) renameSync(path, path.replace(/\.log$/, '.previous.log'))
}

type State = {
  options: ContainerOptions
  handle: Handle
  /** Resolves with a phrase such as "exited with code 1". */
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
    return `exited with code ${StatusCode}`
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

/** Rejects with a ServiceCrash if the container exits, or with an error after the timeout. */
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
  // Prevents an unhandled rejection of the promise that loses the race.
  crash.catch(() => {})
  ready.catch(() => {})
  await Promise.race([crash, ready])
  state.ready = true
}

/** Checks whether the container is paused. Docker rejects pausing or resuming it twice. */
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
  // A paused process cannot handle the stop signal.
  await handle.unpause().catch(() => {})
  // Without a volume, there is no data to save before removal.
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
    // The container may have been created but not started, for example because its port was taken.
    if (container.id !== undefined) {
      const handle = options.client.container.getById(container.id)
      await handle.remove({ force: true, v: true }).catch(() => {})
    }
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Docker cannot start ${options.spec.title}: ${why}`, { cause })
  }
  if (container.id === undefined) throw new Error('Docker returned no container id')
  return options.client.container.getById(container.id)
}

/**
 * Creates a container. Returns before the container is ready, so that the caller can remove it if
 * startup is cancelled.
 */
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
