/** Uses services that run elsewhere, with addresses from the environment. */
import { connect } from 'node:net'
import { settings } from '../platform/config/config.ts'
import { registryAnswers } from './probes.ts'
import type { Addresses, ServiceName, ServiceOptions, StackServices } from './service.ts'
import { waitUntil } from './wait-until.ts'

const READY_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000

const VARIABLES = {
  kafkaBrokers: 'KAFKA_BROKERS',
  schemaRegistryUrl: 'SCHEMA_REGISTRY_URL',
  redisUrl: 'REDIS_URL',
  databaseUrl: 'DATABASE_URL'
} as const

/**
 * Reads the addresses from the environment.
 * @throws {Error} that names all missing variables, or describes what is wrong with an invalid one
 */
export function externalAddresses(environment: NodeJS.ProcessEnv): Addresses {
  const missing = Object.values(VARIABLES).filter((name) => !environment[name])
  if (missing.length > 0) {
    throw new Error(
      `SLUICE_STACK=external needs the address of every service; set ${missing.join(', ')}`
    )
  }
  const entries = Object.entries(VARIABLES).map(([key, name]) => {
    const value = environment[name] ?? ''
    checkSetting(name, value)
    return [key, value]
  })
  return Object.fromEntries(entries) as Addresses
}

function checkSetting(name: keyof typeof settings, value: string): void {
  try {
    settings[name].parse(value)
  } catch (error) {
    throw new Error(`${name} ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Checks only whether a server listens. Credentials and encryption are the responsibility of its
 * owner.
 */
async function listens(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS })
    const settle = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('timeout', () => settle(false))
    socket.once('error', () => settle(false))
  })
}

function listensAt(url: string, defaultPort: number): () => Promise<boolean> {
  const { hostname, port } = new URL(url)
  return async () => await listens(hostname, port === '' ? defaultPort : Number(port))
}

export async function startExternalServices(options: ServiceOptions): Promise<StackServices> {
  const addresses = externalAddresses(process.env)
  const startedAt = performance.now()
  const firstBroker = addresses.kafkaBrokers.split(',')[0]?.trim() ?? ''
  const registry = addresses.schemaRegistryUrl
  const probes: [ServiceName, string, () => Promise<boolean>][] = [
    ['kafka', firstBroker, listensAt(`kafka://${firstBroker}`, 9092)],
    ['registry', registry, async () => await registryAnswers(registry.replace(/\/+$/, ''))],
    ['redis', new URL(addresses.redisUrl).host, listensAt(addresses.redisUrl, 6379)],
    ['postgres', new URL(addresses.databaseUrl).host, listensAt(addresses.databaseUrl, 5432)]
  ]
  for (const [service, detail, probe] of probes) {
    const what = `${service} at ${detail} did not answer`
    await waitUntil({ what, timeoutMs: READY_TIMEOUT_MS, probe, signal: options.signal })
    const elapsedMs = performance.now() - startedAt
    options.onProgress?.({ service, state: 'ready', detail, elapsedMs })
  }
  const refuse = async (): Promise<void> => {
    await Promise.reject(new Error('external services cannot be paused or stopped from here'))
  }
  return {
    mode: 'external',
    addresses,
    pids: () => ({}),
    pause: refuse,
    resume: refuse,
    kill: refuse,
    revive: refuse,
    stop: async () => {
      await Promise.resolve()
    }
  }
}
