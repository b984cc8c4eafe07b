/** Manages the persistent data of Docker mode: named volumes and the Postgres password. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ContainerRuntimeClient } from 'testcontainers'
import { SERVICE_NAMES } from '../service.ts'
import type { ServiceName } from '../service.ts'

const LABEL = 'sluice.folder'

/** Returns a name for this folder that is unique on this machine. */
function nameOf(folder: string): string {
  return createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12)
}

export function volumeOf(folder: string, service: ServiceName): string {
  return `sluice-${nameOf(folder)}-${service}`
}

export function labelsOf(folder: string): Record<string, string> {
  return { [LABEL]: nameOf(folder) }
}

/**
 * Returns the Postgres password. Creates it only once, because Postgres stores it with its data.
 */
export function keepPassword(folder: string): string {
  const path = passwordFile(folder)
  if (existsSync(path)) return readFileSync(path, 'utf8')
  const password = randomBytes(18).toString('base64url')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, password, { mode: 0o600 })
  return password
}

function passwordFile(folder: string): string {
  return join(folder, 'docker', 'postgres-password')
}

/**
 * Removes containers left over from a killed run. They would keep the volumes in use for a few
 * seconds.
 */
export async function removeLeftoverContainers(
  client: ContainerRuntimeClient,
  folder: string
): Promise<void> {
  const { dockerode } = client.container
  const filters = { label: [`${LABEL}=${nameOf(folder)}`] }
  const strays = await dockerode.listContainers({ all: true, filters })
  const removals = strays.map(async ({ Id }) => {
    await dockerode.getContainer(Id).remove({ force: true, v: true })
  })
  // Ignores failures, because another process may be removing the same container.
  await Promise.allSettled(removals)
}

export async function removeVolumes(client: ContainerRuntimeClient, folder: string): Promise<void> {
  await removeLeftoverContainers(client, folder)
  for (const service of SERVICE_NAMES) {
    const volume = client.container.dockerode.getVolume(volumeOf(folder, service))
    await volume.remove().catch((error: unknown) => {
      if ((error as { statusCode?: number }).statusCode !== 404) throw error
    })
  }
  rmSync(dirname(passwordFile(folder)), { recursive: true, force: true })
}
