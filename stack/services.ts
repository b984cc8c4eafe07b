/** Starts the four services that Sluice needs: Kafka, schema registry, Redis and Postgres. */
import { describeDocker, removeDockerData, startDockerServices } from './docker/docker-services.ts'
import { startExternalServices } from './external-services.ts'
import { removeNativeData, startNativeServices } from './native/native-services.ts'
import { STACK_MODES } from './service.ts'
import type { ServiceOptions, StackServices, StackMode, StartServices } from './service.ts'

// Re-exported here, but defined in another file to avoid an import cycle.
export { SERVICE_NAMES, STACK_MODES } from './service.ts'
export type * from './service.ts'

const STARTERS: Record<StackMode, StartServices> = {
  docker: startDockerServices,
  native: startNativeServices,
  external: startExternalServices
}

export async function startServices(
  options: ServiceOptions & { mode: StackMode }
): Promise<StackServices> {
  return await STARTERS[options.mode](options)
}

/**
 * Returns the mode set by SLUICE_STACK. By default, returns `docker` if it can be used, otherwise
 * `native`, with the reason.
 */
export async function chooseMode(
  wanted: string | undefined
): Promise<{ mode: StackMode; reason: string }> {
  if (wanted !== undefined && wanted !== '') {
    const mode = STACK_MODES.find((candidate) => candidate === wanted)
    if (mode === undefined) {
      throw new Error(`SLUICE_STACK is "${wanted}"; use one of ${STACK_MODES.join(', ')}`)
    }
    return { mode, reason: 'set by SLUICE_STACK' }
  }
  const docker = await describeDocker()
  return { mode: docker.usable ? 'docker' : 'native', reason: docker.reason }
}

/** Deletes the data of a stopped stack. Does not touch external services. */
export async function removeData(mode: StackMode, folder: string): Promise<void> {
  if (mode === 'native') removeNativeData(folder)
  if (mode === 'docker') await removeDockerData(folder)
}
