/** Checks whether Docker can be used: it responds, runs on this machine and has the images. */
import { createServer } from 'node:net'
import { getContainerRuntimeClient, ImageName } from 'testcontainers'
import type { ContainerRuntimeClient } from 'testcontainers'

const ANSWER_TIMEOUT_MS = 10_000
const PULL_TIMEOUT_MS = 60_000

export const IMAGES = {
  kafka: 'apache/kafka:4.3.1',
  registry: 'apicurio/apicurio-registry:3.0.9',
  redis: 'redis:7-alpine',
  postgres: 'postgres:17-alpine'
} as const

/**
 * Image of the reaper, the container that removes the other containers of this process if the
 * process is killed. Must be the version that testcontainers uses.
 */
const REAPER_IMAGE = process.env['RYUK_CONTAINER_IMAGE'] ?? 'testcontainers/ryuk:0.14.0'

/** Rejects with `sentence` after a timeout. The work itself continues. */
async function within<T>(work: Promise<T>, timeoutMs: number, sentence: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), timeoutMs)
  })
  // Prevents an unhandled rejection of the promise that loses the race.
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Checks whether Docker runs on this machine, by trying to listen on `host`. In a container, `host`
 * is the gateway of the Docker bridge. Its address is local if the container runs its own Docker,
 * but not if the container uses the Docker socket of its host. The list of network interfaces does
 * not help, because it omits a bridge that has no containers.
 */
export async function isThisMachine(host: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port: 0, host }, () => {
      server.close(() => resolve(true))
    })
  })
}

/**
 * Returns the Docker client of this machine.
 * @throws {Error} that says why Docker cannot be used
 */
export async function dockerRuntime(): Promise<ContainerRuntimeClient> {
  const asked = getContainerRuntimeClient().catch((cause: unknown) => {
    throw new Error('Docker does not answer', { cause })
  })
  const client = await within(asked, ANSWER_TIMEOUT_MS, 'Docker does not answer')
  const { host } = client.info.containerRuntime
  if (await isThisMachine(host)) return client
  // Ports are published only on the loopback address of the machine that runs Docker, so this
  // machine could not reach them.
  throw new Error(`Docker runs on ${host}, not on this machine`)
}

async function missingOf(client: ContainerRuntimeClient, images: string[]): Promise<string[]> {
  const present = images.map(
    async (image) => await client.image.exists(ImageName.fromString(image))
  )
  const found = await Promise.all(present)
  return images.filter((_image, index) => found[index] !== true)
}

/**
 * Pulls missing images.
 * @throws if an image is still missing after the timeout
 */
export async function obtainImages(
  client: ContainerRuntimeClient,
  onPull?: (image: string) => void
): Promise<void> {
  const missing = await missingOf(client, [...Object.values(IMAGES), REAPER_IMAGE])
  const names = missing.join(', ')
  const pulls = missing.map(async (image) => {
    onPull?.(image)
    await client.image.pull(ImageName.fromString(image))
  })
  const cannot = `Docker cannot pull ${names}`
  const pulled = Promise.all(pulls).catch((cause: unknown) => {
    throw new Error(cannot, { cause })
  })
  await within(pulled, PULL_TIMEOUT_MS, `${cannot} within ${PULL_TIMEOUT_MS / 1000} s`)
  // Checks again, because an interrupted pull reports success.
  const still = await missingOf(client, missing)
  if (still.length > 0) throw new Error(`Docker cannot pull ${still.join(', ')}`)
}
