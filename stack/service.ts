/** Defines the interface to Kafka, the schema registry, Redis and Postgres, independently of how
 * they run.
 */
import type { ServiceCrash } from './processes/process.ts'

export const STACK_MODES = ['docker', 'native', 'external'] as const
export type StackMode = (typeof STACK_MODES)[number]

export const SERVICE_NAMES = ['kafka', 'registry', 'redis', 'postgres'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]

/** Addresses of the services, in the format of the environment variables. */
export type Addresses = {
  /** Comma-separated list of host:port. */
  kafkaBrokers: string
  /** URL of the Confluent-compatible API, for example http://127.0.0.1:8081/apis/ccompat/v7. */
  schemaRegistryUrl: string
  redisUrl: string
  /** URL of the database `sluice`, with the credentials of a superuser. */
  databaseUrl: string
  /** Actual address (host:port) of the PROXY listener, if one was requested. */
  kafkaProxyTarget?: string | undefined
}

export type ServiceProgress = {
  service: ServiceName
  state: 'downloading' | 'starting' | 'ready' | 'stopped'
  /** Short description, for example the address or the download. */
  detail: string
  elapsedMs: number
}

export type ServiceOptions = {
  /** Folder (`.sluice`) that contains data/, logs/ and the run file. */
  folder: string
  /** Whether to delete the data on shutdown and never sync it to disk. For tests. */
  ephemeral?: boolean | undefined
  /**
   * Preferred port of each service. A service gets any free port if it has no preferred port, or if
   * its preferred port is in use.
   */
  preferredPorts?: Partial<Record<ServiceName, number>> | undefined
  /**
   * Adds a Kafka listener that advertises 127.0.0.1:advertisedPort. On this port, the caller runs a
   * TCP proxy for addresses.kafkaProxyTarget.
   */
  proxyListener?: { advertisedPort: number } | undefined
  onProgress?: ((progress: ServiceProgress) => void) | undefined
  /** Called each time a service that was ready exits unexpectedly. */
  onCrash?: ((crash: ServiceCrash) => void) | undefined
  /** Whether to restart a crashed service on the same port with the same data. */
  keepAlive?: boolean | undefined
  onRevived?: ((name: string) => void) | undefined
  /** Cancels startup. Services that have already started are stopped. */
  signal?: AbortSignal | undefined
}

export type StackServices = {
  mode: StackMode
  addresses: Addresses
  /** Returns the current process IDs. Empty if the services are not processes on this machine. */
  pids(): Partial<Record<ServiceName, number>>
  /** Suspends a service. It then behaves like a machine that hangs. */
  pause(name: ServiceName): Promise<void>
  resume(name: ServiceName): Promise<void>
  /** Kills a service immediately, as a power failure would. */
  kill(name: ServiceName): Promise<void>
  /** Restarts a killed service with the same data and ports. Resolves when it is ready. */
  revive(name: ServiceName): Promise<void>
  /** Stops all services concurrently. Idempotent. */
  stop(): Promise<void>
}

export type StartServices = (options: ServiceOptions) => Promise<StackServices>
