/** The services as Docker containers. */
import type { ServiceOptions, Services } from '../service.ts'

/** Whether Docker answers and every image is here or can be pulled soon, and why not. */
export async function describeDocker(): Promise<{ usable: boolean; reason: string }> {
  return await Promise.resolve({ usable: false, reason: 'Docker mode is not built yet' })
}

export async function startDockerServices(_options: ServiceOptions): Promise<Services> {
  return await Promise.reject(new Error('Docker mode is not built yet; set SLUICE_STACK=native'))
}

/** Throws away the data that Docker mode keeps for this folder. */
export async function removeDockerData(_folder: string): Promise<void> {
  await Promise.resolve()
}
