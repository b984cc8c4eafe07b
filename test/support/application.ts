/** Starts Sluice applications as child processes, and inspects, suspends, kills and stops them. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { freePort } from '../../stack/ports.ts'
import { onEnd } from './cleanup.ts'
import { waitUntil } from './wait-until.ts'

export type ApplicationName = 'gateway' | 'storage' | 'evaluation'

export type Application = {
  readonly name: ApplicationName
  readonly pid: number
  /** Base URL of the gateway; unused for consumers. */
  readonly url: string
  readonly managementUrl: string
  /** Returns everything written so far to standard output and standard error. */
  log(): string
  isReady(): Promise<boolean>
  waitUntilReady(): Promise<void>
  metrics(): Promise<string>
  /** Suspends the process with SIGSTOP. */
  freeze(): void
  thaw(): void
  /** Sends SIGKILL and resolves once the process has exited. */
  kill(): Promise<void>
  /**
   * Sends SIGTERM and resolves with the exit code.
   * @throws if the process does not exit within its deadline
   */
  stop(): Promise<number | null>
  /** Resolves with the exit code; null if a signal killed the process or it could not start. */
  readonly exited: Promise<number | null>
}

export type ApplicationOptions = {
  environment: NodeJS.ProcessEnv
  /** If false, `startApplication` does not wait until the process is ready. Default: true. */
  waitReady?: boolean
  /** Traffic and management ports, for a process that replaces another. Default: free ports. */
  ports?: Ports
}

export type Ports = readonly [traffic: number, management: number]

const programs: Record<ApplicationName, string[]> = {
  gateway: ['gateway/main.ts'],
  storage: ['consumers/main.ts', 'storage'],
  evaluation: ['consumers/main.ts', 'evaluation']
}

/** Maximum time to become ready in milliseconds; long, because the machine may be overloaded. */
const readyMs = 170_000
/**
 * Maximum time to stop in milliseconds; slightly longer than the applications' shutdown timeout.
 */
const stopMs = 30_000
const probeMs = 2000
const logTail = 3000

export async function startApplication(
  name: ApplicationName,
  options: ApplicationOptions
): Promise<Application> {
  const [port, managementPort] = options.ports ?? [await freePort(), await freePort()]
  const child = spawn(process.execPath, ['--no-warnings', ...programs[name]], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      ...options.environment
    }
  })
  const application = applicationOf(name, child, [port, managementPort])
  onEnd(application.kill)
  if (options.waitReady !== false) await application.waitUntilReady()
  return application
}

function applicationOf(
  name: ApplicationName,
  child: ChildProcess,
  [port, managementPort]: Ports
): Application {
  const log = collect(child)
  const managementUrl = `http://127.0.0.1:${managementPort}`
  const exited = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })
  const isReady = async (): Promise<boolean> => (await get(`${managementUrl}/readyz`)).ok

  return {
    name,
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    managementUrl,
    log,
    isReady,
    waitUntilReady: () => waitUntilReady({ name, child, log, isReady }),
    metrics: async () => await (await get(`${managementUrl}/metrics`)).text(),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop: async () => {
      child.kill('SIGTERM')
      await waitUntil(`${name} stopped`, () => hasEnded(child), stopMs)
      return await exited
    },
    exited
  }
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  const chunks: Buffer[] = []
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  }
  return () => Buffer.concat(chunks).toString('utf8')
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function get(url: string): Promise<Response> {
  return await fetch(url, { signal: AbortSignal.timeout(probeMs) })
}

type Starting = Pick<Application, 'name' | 'log' | 'isReady'> & { child: ChildProcess }

/**
 * Waits until the process is ready.
 * @throws {Error} that contains its last output, if the process exits or is not ready in time
 */
async function waitUntilReady({ name, child, log, isReady }: Starting): Promise<void> {
  try {
    const settled = async (): Promise<boolean> => hasEnded(child) || (await isReady())
    await waitUntil(`${name} is ready`, settled, readyMs)
  } catch (error) {
    throw new Error(`${name} did not become ready:\n${log().slice(-logTail)}`, { cause: error })
  }
  if (hasEnded(child)) {
    throw new Error(`${name} ended instead of becoming ready:\n${log().slice(-logTail)}`)
  }
}
