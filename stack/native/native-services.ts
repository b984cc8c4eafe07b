/** Runs Kafka, the schema registry, Redis and Postgres as processes, for machines without Docker.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, createDownloads } from '../downloads.ts'
import type { DownloadName } from '../downloads.ts'
import { preferPort } from '../ports.ts'
import { javaCommand, javaVersion } from '../preflight.ts'
import { makePrivateFolder } from '../private-folder.ts'
import { createSupervisor } from '../processes/supervisor.ts'
import type { Supervisor } from '../processes/supervisor.ts'
import { keepSecrets } from '../secrets.ts'
import type { Addresses, ServiceName, ServiceOptions, StackServices } from '../service.ts'
import { archiveOptions, classArchiveIn, recordArchive } from './class-archive.ts'
import { startKafka } from './kafka.ts'
import type { NativeContext } from './native-service.ts'
import { postgresFolder, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { startRegistry } from './registry.ts'

/**
 * If this process is root, Postgres runs as another user, and that user must be able to enter the
 * folder.
 */
const DATA_FOLDER_MODE = process.getuid?.() === 0 ? 0o711 : 0o700

type Start = ServiceOptions & { signal: AbortSignal }

const JAVA_PROGRAMS: readonly DownloadName[] = ['kafka-4.3.1', 'apicurio-3.0.9']

function archiveOf(program: DownloadName): string {
  return classArchiveIn(cacheFolder(process.env), program, javaVersion() ?? '')
}

function contextOf(options: Start, supervisor: Supervisor): NativeContext {
  const startedAt = performance.now()
  const report = (
    service: ServiceName,
    state: 'downloading' | 'starting',
    detail: string
  ): void => {
    options.onProgress?.({ service, state, detail, elapsedMs: performance.now() - startedAt })
  }
  const cache = cacheFolder(process.env)
  const ephemeral = options.ephemeral ?? false
  const data = makePrivateFolder(join(options.folder, 'data'), DATA_FOLDER_MODE)
  return {
    supervisor,
    downloads: createDownloads(cache, options.signal),
    folderOf: (name) => makePrivateFolder(join(data, name)),
    portOf: async (name) => await preferPort(options.preferredPorts?.[name]),
    ephemeral,
    java: javaCommand(process.env),
    archiveOptions: (program) => archiveOptions(archiveOf(program), ephemeral),
    signal: options.signal,
    onDownload: (name, detail) => report(name, 'downloading', detail),
    onStarting: (name, detail) => report(name, 'starting', detail)
  }
}

async function startAll(options: Start, supervisor: Supervisor): Promise<Addresses> {
  const context = contextOf(options, supervisor)
  const { REDIS_PASSWORD } = keepSecrets(join(options.folder, 'secrets.json'))
  const startedAt = performance.now()
  async function ready<T>(service: ServiceName, starting: Promise<T>, detail: (t: T) => string) {
    const started = await starting
    const elapsedMs = performance.now() - startedAt
    options.onProgress?.({ service, state: 'ready', detail: detail(started), elapsedMs })
    return started
  }
  const [kafka, registry, redis, postgres] = await Promise.all([
    ready('kafka', startKafka(context, options.proxyListener), (it) => it.brokers),
    ready('registry', startRegistry(context), (it) => it.url),
    ready('redis', startRedis(context, REDIS_PASSWORD), (it) => new URL(it.url).host),
    ready('postgres', startPostgres(context), (it) => new URL(it.url).host)
  ])
  return {
    kafkaBrokers: kafka.brokers,
    kafkaProxyTarget: kafka.proxyTarget,
    schemaRegistryUrl: registry.url,
    redisUrl: redis.url,
    databaseUrl: postgres.url
  }
}

/** Deletes the data of native mode for this folder. */
export function removeNativeData(folder: string): void {
  rmSync(postgresFolder(join(folder, 'data', 'postgres')), { recursive: true, force: true })
  rmSync(join(folder, 'data'), { recursive: true, force: true })
}

export async function startNativeServices(options: ServiceOptions): Promise<StackServices> {
  mkdirSync(options.folder, { recursive: true })
  // Cancels the startup of the other services if one service fails.
  const failed = new AbortController()
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])])
  const { folder } = options
  const supervisor = createSupervisor({ ...options, name: 'services', signal })
  const stop = async (): Promise<void> => {
    await supervisor.stopAll()
    if (options.ephemeral === true) removeNativeData(folder)
    else JAVA_PROGRAMS.map(archiveOf).forEach(recordArchive)
  }
  try {
    const addresses = await startAll({ ...options, signal }, supervisor)
    return {
      mode: 'native',
      addresses,
      pids: supervisor.pids,
      pause: async (name) => await Promise.resolve(supervisor.signal(name, 'SIGSTOP')),
      resume: async (name) => await Promise.resolve(supervisor.signal(name, 'SIGCONT')),
      kill: supervisor.kill,
      revive: supervisor.restart,
      stop
    }
  } catch (error) {
    failed.abort()
    await stop()
    throw error
  }
}
