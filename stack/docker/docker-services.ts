/** Runs Kafka, the schema registry, Redis and Postgres as Docker containers. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { getReaper } from 'testcontainers'
import { preferPort } from '../ports.ts'
import { keepSecrets } from '../secrets.ts'
import type { Addresses, ServiceName, ServiceOptions, StackServices } from '../service.ts'
import { createContainerFleet } from './container-fleet.ts'
import type { ContainerFleet } from './container-fleet.ts'
import type { ContainerContext, ContainerSpec } from './container-spec.ts'
import { keepPassword, removeLeftoverContainers, removeVolumes } from './docker-data.ts'
import { dockerRuntime, IMAGES, obtainImages } from './docker-runtime.ts'
import { createKafkaContainer } from './kafka-container.ts'
import { createPostgresContainer } from './postgres-container.ts'
import { createRedisContainer } from './redis-container.ts'
import { createRegistryContainer } from './registry-container.ts'

/** Pulls missing images, and reports whether Docker can be used and, if not, why. */
export async function describeDocker(
  onPull?: (image: string) => void
): Promise<{ usable: boolean; reason: string }> {
  try {
    await obtainImages(await dockerRuntime(), onPull)
    return { usable: true, reason: 'Docker is available and has all images' }
  } catch (error) {
    return { usable: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

type Created = { addresses: Addresses; specs: ContainerSpec[] }

/**
 * Describes all containers. Chooses all ports first, because the configuration of a container
 * contains them.
 */
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
  const report = (service: ServiceName, state: 'starting' | 'ready', detail: string): void => {
    options.onProgress?.({ service, state, detail, elapsedMs: performance.now() - startedAt })
  }
  const starts = specs.map(async (spec) => {
    const detail = `127.0.0.1:${spec.ports[0]?.host ?? ''}`
    report(spec.name, 'starting', detail)
    await fleet.start(spec)
    report(spec.name, 'ready', detail)
  })
  await Promise.all(starts)
}

export async function startDockerServices(options: ServiceOptions): Promise<StackServices> {
  mkdirSync(options.folder, { recursive: true })
  const client = await dockerRuntime()
  await obtainImages(client, (image) => {
    const service = Object.entries(IMAGES).find(([, name]) => name === image)?.[0]
    if (service === undefined) return
    const progress = { service: service as ServiceName, detail: image, elapsedMs: 0 }
    options.onProgress?.({ ...progress, state: 'downloading' })
  })
  await removeLeftoverContainers(client, options.folder)
  // Starts the reaper once. Containers that start concurrently would each start their own.
  await getReaper(client)
  // Cancels the startup of the other services if one service fails.
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
    // Empty, because the processes belong to Docker and may run in a virtual machine.
    pids: () => ({}),
    pause: async (name) => await fleet.get(name).pause(),
    resume: async (name) => await fleet.get(name).resume(),
    kill: async (name) => await fleet.get(name).kill(),
    revive: async (name) => await fleet.get(name).revive(),
    stop: fleet.removeAll
  }
}

/** Deletes the data of Docker mode for this folder. */
export async function removeDockerData(folder: string): Promise<void> {
  await removeVolumes(await dockerRuntime(), folder)
}
