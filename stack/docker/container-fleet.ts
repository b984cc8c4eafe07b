/** Starts, restarts and removes the containers of one run. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerRuntimeClient } from 'testcontainers'
import type { ServiceName, ServiceOptions } from '../service.ts'
import { createContainer } from './container.ts'
import type { Container } from './container.ts'
import type { ContainerSpec } from './container-spec.ts'
import { labelsOf, volumeOf } from './docker-data.ts'

/** Initial delay before a crashed container is restarted. Doubles with each attempt. */
const REVIVAL_DELAY_MIN_MS = 500
const REVIVAL_DELAY_MAX_MS = 8_000

export type ContainerFleet = {
  /** Resolves when the service is ready. */
  start(spec: ContainerSpec): Promise<void>
  get(name: ServiceName): Container
  /** Removes all containers. Idempotent. Can be called while containers are starting. */
  removeAll(): Promise<void>
}

type FleetOptions = {
  client: ContainerRuntimeClient
  options: ServiceOptions
  /** Aborted to cancel startup. */
  signal: AbortSignal
}

/** Creates a function that restarts a container until it is ready or the fleet stops. */
function createRevival(
  all: ReadonlyMap<ServiceName, Container>,
  options: ServiceOptions,
  signal: AbortSignal
): (name: ServiceName) => Promise<void> {
  return async function revive(name) {
    let delayMs = REVIVAL_DELAY_MIN_MS
    while (!signal.aborted) {
      try {
        await sleep(delayMs, undefined, { signal, ref: false })
        await all.get(name)?.revive()
        options.onRevived?.(name)
        return
      } catch {
        delayMs = Math.min(delayMs * 2, REVIVAL_DELAY_MAX_MS)
      }
    }
  }
}

export function createContainerFleet({ client, options, signal }: FleetOptions): ContainerFleet {
  const all = new Map<ServiceName, Container>()
  const creating = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  const revive = createRevival(all, options, stopping.signal)
  let removed: Promise<void> | undefined

  async function start(spec: ContainerSpec): Promise<void> {
    const creation = createContainer({
      client,
      spec,
      signal: AbortSignal.any([signal, stopping.signal]),
      labels: labelsOf(options.folder),
      logPath: join(options.folder, 'logs', `${spec.name}.log`),
      volume: options.ephemeral === true ? undefined : volumeOf(options.folder, spec.name),
      onCrash: (crash) => {
        if (stopping.signal.aborted) return
        options.onCrash?.(crash)
        if (options.keepAlive === true) void revive(spec.name)
      }
    })
    creating.add(creation)
    const { container, ready } = await creation
    all.set(spec.name, container)
    await ready
  }

  async function removeEach(): Promise<void> {
    stopping.abort()
    await Promise.allSettled(creating)
    await Promise.all([...all.values()].map(async (container) => await container.remove()))
  }

  return {
    start,
    get: (name) => {
      const container = all.get(name)
      if (container === undefined) throw new Error(`${name} is not running`)
      return container
    },
    removeAll: async () => {
      removed ??= removeEach()
      await removed
    }
  }
}
