/** Runs gateway, storage and evaluation as child processes, and waits until they are ready. */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Addresses } from '../service.ts'
import { ServiceCrash } from './process.ts'
import type { ProcessSpec } from './process.ts'
import type { Secrets } from '../secrets.ts'
import { createSupervisor } from './supervisor.ts'
import type { Supervisor } from './supervisor.ts'

/**
 * kafkajs sets timers in the past. Node 24 would warn about each of them, although they are
 * harmless.
 */
const QUIET = '--disable-warning=TimeoutNegativeWarning'

const READY_TIMEOUT_MS = 60_000
const ATTEMPTS_MAX = 3
const RETRY_DELAY_MS = 1_000
const PROBE_TIMEOUT_MS = 2_000
/** Stop timeout in milliseconds, slightly longer than the shutdown deadline of the applications. */
const STOP_DEADLINE_MS = 30_000

export const APPLICATION_NAMES = ['gateway', 'storage', 'evaluation'] as const
export type ApplicationName = (typeof APPLICATION_NAMES)[number]

const PROGRAMS: Record<ApplicationName, { title: string; args: string[] }> = {
  gateway: { title: 'The gateway', args: ['gateway/main.ts'] },
  storage: { title: 'The storage group', args: ['consumers/main.ts', 'storage'] },
  evaluation: { title: 'The evaluation group', args: ['consumers/main.ts', 'evaluation'] }
}

export type ApplicationPorts = { gateway: number; management: Record<ApplicationName, number> }

export type ApplicationOptions = {
  /** Folder that contains logs/ and run/. */
  folder: string
  addresses: Addresses
  secrets: Secrets
  ports: ApplicationPorts
  keepAlive?: boolean | undefined
  onReady?: ((name: ApplicationName, elapsedMs: number) => void) | undefined
  onCrash?: ((crash: ServiceCrash) => void) | undefined
  /** Called before restarting an application that exited before it was ready. */
  onRetry?: ((crash: ServiceCrash) => void) | undefined
  onRevived?: ((name: string) => void) | undefined
  signal?: AbortSignal | undefined
}

export type Applications = {
  baseUrl: string
  managementUrl: (name: ApplicationName) => string
  pids(): Record<string, number>
  /**
   * Stops all applications. The gateway stops first, so that decisions it has accepted are still
   * consumed.
   */
  stop(): Promise<void>
}

/** Returns the environment for applications and commands that use this stack. */
export function environmentOf(addresses: Addresses, secrets: Secrets): NodeJS.ProcessEnv {
  return {
    ...process.env,
    KAFKA_BROKERS: addresses.kafkaBrokers,
    SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
    REDIS_URL: addresses.redisUrl,
    DATABASE_URL: addresses.databaseUrl,
    API_KEY_PEPPER: secrets.API_KEY_PEPPER,
    SESSION_SIGNING_KEY: secrets.SESSION_SIGNING_KEY,
    SECRETS_KEY: secrets.SECRETS_KEY,
    // Allows judges and webhooks on this machine.
    PRIVATE_ADDRESSES_ALLOWED: 'true'
  }
}

async function isReady(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal })
  await answer.arrayBuffer()
  return answer.status === 200
}

/**
 * Starts an application. If it exits before it is ready, for example because a service is not ready
 * yet, restarts it as an orchestrator would, up to `ATTEMPTS_MAX` attempts in total.
 */
async function startWithRetries(
  start: () => Promise<unknown>,
  options: Pick<ApplicationOptions, 'onRetry' | 'signal'>
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await start()
      return
    } catch (error) {
      if (!(error instanceof ServiceCrash) || attempt === ATTEMPTS_MAX) throw error
      options.onRetry?.(error)
      await sleep(RETRY_DELAY_MS, undefined, options.signal ? { signal: options.signal } : {})
    }
  }
}

async function startOne(
  name: ApplicationName,
  options: ApplicationOptions,
  supervisor: Supervisor
): Promise<void> {
  const startedAt = performance.now()
  const port = options.ports.management[name]
  const spec: ProcessSpec = {
    name,
    title: PROGRAMS[name].title,
    command: process.execPath,
    args: [QUIET, ...PROGRAMS[name].args],
    environment: {
      ...environmentOf(options.addresses, options.secrets),
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(options.ports.gateway),
      MANAGEMENT_HOST: '127.0.0.1',
      // Open registration is safe here, because the gateway listens only on the loopback address.
      REGISTRATION: 'open',
      MAIL_URL: pathToFileURL(resolve(options.folder, 'mail')).href,
      PUBLIC_URL: `http://127.0.0.1:${options.ports.gateway}`,
      MANAGEMENT_PORT: String(port),
      DOCS_ENABLED: 'true',
      // On one machine an audit is cheap, and the ledger soon shows a decision that was just sent.
      AUDIT_INTERVAL_SECONDS: '30'
    },
    probe: async () => await isReady(port),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  }
  await startWithRetries(async () => await supervisor.start(spec), options)
  options.onReady?.(name, performance.now() - startedAt)
}

export async function startApplications(options: ApplicationOptions): Promise<Applications> {
  const supervisor = createSupervisor({ ...options, name: 'applications' })
  const stop = async (): Promise<void> => {
    await supervisor.stop('gateway')
    await supervisor.stopAll()
  }
  try {
    await Promise.all(APPLICATION_NAMES.map((name) => startOne(name, options, supervisor)))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    baseUrl: `http://127.0.0.1:${options.ports.gateway}`,
    managementUrl: (name) => `http://127.0.0.1:${options.ports.management[name]}`,
    pids: supervisor.pids,
    stop
  }
}
