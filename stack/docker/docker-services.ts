/** The four services as containers of the Docker on this machine. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { getReaper } from 'testcontainers'
import { preferPort } from '../ports.ts'
import { keepSecrets } from '../secrets.ts'
import type { Addresses, ServiceName, ServiceOptions, Services } from '../service.ts'
import { createContainerFleet } from './container-fleet.ts'
import type { ContainerFleet } from './container-fleet.ts'
import type { ContainerContext, ContainerSpec } from './container-spec.ts'
import { keepPassword, removeStrays, removeVolumes } from './docker-data.ts'
import { dockerRuntime, IMAGES, obtainImages } from './docker-runtime.ts'
import { createKafkaContainer } from './kafka-container.ts'
import { createPostgresContainer } from './postgres-container.ts'
import { createRedisContainer } from './redis-container.ts'
import { createRegistryContainer } from './registry-container.ts'

/** Whether Docker answers and every image is here or pulled within a minute, and why not. */
export async function describeDocker(
  onPull?: (image: string) => void
): Promise<{ usable: boolean; reason: string }> {
  try {
    await obtainImages(await dockerRuntime(), onPull)
    return { usable: true, reason: 'Docker answers and has every image' }
  } catch (error) {
    return { usable: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

type Created = { addresses: Addresses; specs: ContainerSpec[] }

/** Decides on every port first: what a container is told must be known before it starts. */
async function describeContainers(options: ServiceOptions): Promise<Created> {
  const ephemeral = options.ephemeral ?? false
  const context: ContainerContext = {
    ephemeral,
    portOf: async (name) => await preferPort(options.preferredPorts?.[name])
  }
  const password = ephemeral ? randomBytes(18).toString('base64url') : keepPassword(options.folder)
  const kafka = await createKafkaContainer(context, options.proxyListener)
  const registry = await createRegistryContainer(context)
  const { REDIS_PASSWORD } = keepSecrets(join(options.folder, 'secrets.json'))
  const redis = await createRedisContainer(context, REDIS_PASSWORD)
  const postgres = await createPostgresContainer(context, password)
  return {
    addresses: {
      kafkaBrokers: kafka.brokers,
      kafkaProxyTarget: kafka.proxyTarget,
      schemaRegistryUrl: registry.url,
      redisUrl: redis.url,
      databaseUrl: postgres.url
    },
    specs: [kafka.spec, registry.spec, redis.spec, postgres.spec]
  }
}

async function startAll(
  options: ServiceOptions,
  specs: ContainerSpec[],
  fleet: ContainerFleet
): Promise<void> {
  const startedAt = performance.now()
  const tell = (service: ServiceName, state: 'starting' | 'ready', detail: string): void => {
    options.onProgress?.({ service, state, detail, elapsedMs: performance.now() - startedAt })
  }
  const starts = specs.map(async (spec) => {
    const detail = `127.0.0.1:${spec.ports[0]?.host ?? ''}`
    tell(spec.name, 'starting', detail)
    await fleet.start(spec)
    tell(spec.name, 'ready', detail)
  })
  await Promise.all(starts)
}

export async function startDockerServices(options: ServiceOptions): Promise<Services> {
  mkdirSync(options.folder, { recursive: true })
  const client = await dockerRuntime()
  await obtainImages(client, (image) => {
    const service = Object.entries(IMAGES).find(([, name]) => name === image)?.[0]
    if (service === undefined) return
    const progress = { service: service as ServiceName, detail: image, elapsedMs: 0 }
    options.onProgress?.({ ...progress, state: 'downloading' })
  })
  await removeStrays(client, options.folder)
  // Asked for beforehand: containers that start side by side would bring one each.
  await getReaper(client)
  // The first service that fails ends the start of the others.
  const failed = new AbortController()
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])])
  const fleet = createContainerFleet({ client, options, signal })
  const { addresses, specs } = await describeContainers(options)
  try {
    await startAll(options, specs, fleet)
  } catch (error) {
    failed.abort()
    await fleet.removeAll()
    throw error
  }
  return {
    mode: 'docker',
    addresses,
    // They are processes of Docker's, and on some machines of another machine.
    pids: () => ({}),
    pause: async (name) => await fleet.get(name).pause(),
    resume: async (name) => await fleet.get(name).resume(),
    kill: async (name) => await fleet.get(name).kill(),
    revive: async (name) => await fleet.get(name).revive(),
    stop: fleet.removeAll
  }
}

/** Throws away the data that Docker mode keeps for this folder. */
export async function removeDockerData(folder: string): Promise<void> {
  await removeVolumes(await dockerRuntime(), folder)
}
