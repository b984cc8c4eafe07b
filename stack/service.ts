/** What the four services are told and what they tell, whichever way they are run. */
import type { ServiceCrash } from './processes/process.ts'

export const STACK_MODES = ['docker', 'native', 'external'] as const
export type StackMode = (typeof STACK_MODES)[number]

export const SERVICE_NAMES = ['kafka', 'registry', 'redis', 'postgres'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]

/** What an application needs to be told, exactly as its environment variables take it. */
export type Addresses = {
  /** host:port list */
  kafkaBrokers: string
  /** The Confluent-compatible API, e.g. http://127.0.0.1:8081/apis/ccompat/v7 */
  schemaRegistryUrl: string
  redisUrl: string
  /** A superuser on a database of our own. */
  databaseUrl: string
  /** Where the PROXY listener really listens (host:port), when one was asked for. */
  kafkaProxyTarget?: string | undefined
}

export type ServiceProgress = {
  service: ServiceName
  state: 'downloading' | 'starting' | 'ready' | 'stopped'
  /** One short phrase: what is downloaded, where it listens. */
  detail: string
  elapsedMs: number
}

export type ServiceOptions = {
  /** The folder (`.sluice`) that holds data/, logs/ and the list of running processes. */
  folder: string
  /** Data is thrown away at stop and never synced to disk. For tests. */
  ephemeral?: boolean | undefined
  /** Taken when free; any other free port otherwise, and for services not named. */
  preferredPorts?: Partial<Record<ServiceName, number>> | undefined
  /**
   * A second client listener of the broker that advertises 127.0.0.1:advertisedPort, where the
   * caller runs a TCP proxy of its own in front of addresses.kafkaProxyTarget.
   */
  proxyListener?: { advertisedPort: number } | undefined
  onProgress?: ((progress: ServiceProgress) => void) | undefined
  /** Called once for each service that ends without having been told to. */
  onCrash?: ((crash: ServiceCrash) => void) | undefined
  /** Starts a crashed service again (after onCrash) on the same port, with the same data. */
  keepAlive?: boolean | undefined
  onRevived?: ((name: string) => void) | undefined
  /** Aborting gives up a start that is under way; what had been started is stopped. */
  signal?: AbortSignal | undefined
}

export type Services = {
  mode: StackMode
  addresses: Addresses
  /** Process ids as they are now; empty where a service is not a process of this machine. */
  pids(): Partial<Record<ServiceName, number>>
  /** Freezes a service without ending it, as a stuck machine would. */
  pause(name: ServiceName): Promise<void>
  resume(name: ServiceName): Promise<void>
  /** Ends a service at once, with no time to finish anything, as a machine that loses power. */
  kill(name: ServiceName): Promise<void>
  /** Starts a killed service again, with its data and on its ports; resolves once it answers. */
  revive(name: ServiceName): Promise<void>
  /** Stops everything that was started, in order; safe to call twice. */
  stop(): Promise<void>
}

export type StartServices = (options: ServiceOptions) => Promise<Services>
