/** Whether Docker can be used: it answers, is this machine's, and has the images at hand. */
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

/** Removes our containers when we are killed; of the version that testcontainers asks for. */
const REAPER_IMAGE = process.env['RYUK_CONTAINER_IMAGE'] ?? 'testcontainers/ryuk:0.14.0'

/** Rejects with the sentence when the work takes too long; the work itself goes on unheard. */
async function within<T>(work: Promise<T>, timeoutMs: number, sentence: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), timeoutMs)
  })
  // Whichever loses the race may still reject, long after anybody listens.
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * In a container that runs a Docker of its own, its host is the bridge's gateway, an address of
 * ours; where the container only borrows the socket of its host, the gateway is somebody else.
 * Listening tells: a bridge with no container on it is missing among the network interfaces.
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

/** The Docker of this machine, or one sentence saying why it cannot be used. */
export async function dockerRuntime(): Promise<ContainerRuntimeClient> {
  const asked = getContainerRuntimeClient().catch((cause: unknown) => {
    throw new Error('Docker does not answer', { cause })
  })
  const client = await within(asked, ANSWER_TIMEOUT_MS, 'Docker does not answer')
  const { host } = client.info.containerRuntime
  if (await isThisMachine(host)) return client
  // Ports are published on the loopback address alone, where nobody else reaches them.
  throw new Error(`Docker runs on ${host} and not on this machine`)
}

async function missingOf(client: ContainerRuntimeClient, images: string[]): Promise<string[]> {
  const present = images.map(
    async (image) => await client.image.exists(ImageName.fromString(image))
  )
  const found = await Promise.all(present)
  return images.filter((_image, index) => found[index] !== true)
}

/** Rejects with one sentence when an image is neither here nor pulled in time. */
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
  // A pull that is refused half-way ends like one that has worked.
  const still = await missingOf(client, missing)
  if (still.length > 0) throw new Error(`Docker cannot pull ${still.join(', ')}`)
}
