/** What Docker mode keeps for a folder: volumes named after it, and the password of Postgres. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ContainerRuntimeClient } from 'testcontainers'
import { SERVICE_NAMES } from '../service.ts'
import type { ServiceName } from '../service.ts'

const LABEL = 'sluice.folder'

/** Two clones on one machine keep apart what is theirs. */
function nameOf(folder: string): string {
  return createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12)
}

export function volumeOf(folder: string, service: ServiceName): string {
  return `sluice-${nameOf(folder)}-${service}`
}

export function labelsOf(folder: string): Record<string, string> {
  return { [LABEL]: nameOf(folder) }
}

/** Made once: Postgres takes it into its data, and later knows no other. */
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

/** Containers of a run that was killed: they would have our volumes open for some seconds more. */
export async function removeStrays(client: ContainerRuntimeClient, folder: string): Promise<void> {
  const { dockerode } = client.container
  const filters = { label: [`${LABEL}=${nameOf(folder)}`] }
  const strays = await dockerode.listContainers({ all: true, filters })
  const removals = strays.map(async ({ Id }) => {
    await dockerode.getContainer(Id).remove({ force: true, v: true })
  })
  // One that is being removed by somebody else is as good as removed.
  await Promise.allSettled(removals)
}

export async function removeVolumes(client: ContainerRuntimeClient, folder: string): Promise<void> {
  await removeStrays(client, folder)
  for (const service of SERVICE_NAMES) {
    const volume = client.container.dockerode.getVolume(volumeOf(folder, service))
    await volume.remove().catch((error: unknown) => {
      if ((error as { statusCode?: number }).statusCode !== 404) throw error
    })
  }
  rmSync(dirname(passwordFile(folder)), { recursive: true, force: true })
}
