/** Creates a Compose project for a test, with its own image, ports and volumes. */
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../stack/ports.ts'
import { onEnd } from '../cleanup.ts'
import { isAvailable, runWell } from '../run-to-end.ts'
import { waitUntil } from '../wait-until.ts'

const portVariables = [
  ...['GATEWAY_PORT', 'MANAGEMENT_PORT', 'KAFKA_PORT', 'REGISTRY_PORT'],
  ...['REDIS_PORT', 'POSTGRES_PORT', 'PROMETHEUS_PORT', 'GRAFANA_PORT']
] as const
const startMs = 240_000
/** Interval between checks in milliseconds. It is long because each check starts two processes. */
const lookMs = 1_000

/** Container state as reported by `docker inspect`. */
interface ContainerState {
  readonly Status: string
  readonly ExitCode: number
  readonly Pid: number
  readonly FinishedAt: string
  readonly Health?: { readonly Status: string }
}

export interface ComposeProject {
  readonly image: string
  readonly ports: Readonly<Record<(typeof portVariables)[number], number>>
  /**
   * Runs Compose and resolves with its output.
   * @throws {Error} that contains its output, if the exit code is not 0
   */
  compose(...args: string[]): Promise<string>
  docker(...args: string[]): Promise<string>
  state(service: string): Promise<ContainerState>
  restarts(service: string): Promise<number>
  /** Waits until each service is healthy. */
  healthy(...services: string[]): Promise<void>
  /** Returns the project's remaining containers, volumes and networks. */
  remains(): Promise<string[]>
}

/**
 * Finds the Compose command: `docker compose` or `docker-compose`.
 * @throws if Compose or Docker is not available
 */
function findCompose(): readonly [string, ...string[]] {
  for (const command of [['docker', 'compose'], ['docker-compose']] as const) {
    const [program, ...args] = command
    if (isAvailable(program, ...args, 'version') && isAvailable('docker', 'info')) return command
  }
  throw new Error('This test needs Docker with docker compose or docker-compose.')
}

async function choosePorts(): Promise<ComposeProject['ports']> {
  const ports: Partial<Record<(typeof portVariables)[number], number>> = {}
  for (const variable of portVariables) ports[variable] = await freePort()
  return ports as ComposeProject['ports']
}

export async function createComposeProject(name: string): Promise<ComposeProject> {
  const [program, ...before] = findCompose()
  const ports = await choosePorts()
  const image = `sluice:${name}`
  const own = { ...ports, SLUICE_IMAGE: image, COMPOSE_PROJECT_NAME: name }
  const texts = Object.entries(own).map(([key, value]) => [key, String(value)])
  const env = { ...process.env, ...(Object.fromEntries(texts) as Record<string, string>) }
  const compose = async (...args: string[]) => await runWell(program, [...before, ...args], { env })
  const docker = async (...args: string[]) => await runWell('docker', args)

  async function inspect<T>(service: string, format: string): Promise<T> {
    const id = await docker(
      ...['ps', '-aq', '--filter', `label=com.docker.compose.project=${name}`],
      ...['--filter', `label=com.docker.compose.service=${service}`]
    )
    return JSON.parse(await docker('inspect', '--format', format, id.trim())) as T
  }

  const state: ComposeProject['state'] = async (service) => {
    return await inspect(service, '{{json .State}}')
  }
  onEnd(async () => {
    await compose('--profile', 'observability', '--profile', 'load', 'down', '-v', '-t', '1')
    await docker('image', 'rm', '--force', image)
  })
  return {
    ...{ image, ports, compose, docker, state },
    restarts: async (service) => await inspect(service, '{{.RestartCount}}'),
    healthy: async (...services) => {
      for (const service of services) {
        const isHealthy = async () => {
          await pause(lookMs)
          return (await state(service)).Health?.Status === 'healthy'
        }
        await waitUntil(`${service} is healthy`, isHealthy, startMs)
      }
    },
    remains: async () => {
      const filter = ['--filter', `label=com.docker.compose.project=${name}`]
      const lists = [
        await docker('ps', '-a', '--format', '{{.Names}}', ...filter),
        await docker('volume', 'ls', '-q', ...filter),
        await docker('network', 'ls', '--format', '{{.Name}}', ...filter)
      ]
      return lists.join('\n').split('\n').filter(Boolean)
    }
  }
}
