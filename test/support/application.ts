/** Sluice's own programs as real processes: started from the repository, read, killed, stopped. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { freePort } from '../../stack/ports.ts'
import { onEnd } from './cleanup.ts'
import { waitUntil } from './wait-until.ts'

export type ApplicationName = 'gateway' | 'storage' | 'evaluation'

export type Application = {
  readonly name: ApplicationName
  readonly pid: number
  /** The gateway's address; consumers have none. */
  readonly url: string
  readonly managementUrl: string
  /** Everything it has written so far, both outputs together. */
  log(): string
  isReady(): Promise<boolean>
  waitUntilReady(): Promise<void>
  /** The metrics page as it is now. */
  metrics(): Promise<string>
  /** SIGSTOP: alive for the kernel, dead for everybody else. */
  freeze(): void
  thaw(): void
  /** SIGKILL: nothing of it runs any more when this resolves. */
  kill(): Promise<void>
  /** SIGTERM; resolves with its exit code. @throws when it does not end within its deadline. */
  stop(): Promise<number | null>
  /** Resolves with the exit code once it has ended for whatever reason. */
  readonly exited: Promise<number | null>
}

export type ApplicationOptions = {
  environment: NodeJS.ProcessEnv
  /** False returns at once, for tests about a start that cannot succeed yet. */
  waitReady?: boolean
  /** Of the traffic and of the management port, for one that takes the place of another. */
  ports?: Ports
}

export type Ports = readonly [traffic: number, management: number]

const programs: Record<ApplicationName, string[]> = {
  gateway: ['gateway/main.ts'],
  storage: ['consumers/main.ts', 'storage'],
  evaluation: ['consumers/main.ts', 'evaluation']
}

const readyMs = 60_000
/** A little more than the applications allow themselves. */
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

/** A process that ends instead of becoming ready is told at once, with what it said last. */
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
