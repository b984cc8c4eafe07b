/** The four services Sluice stands on: Kafka, schema registry, Redis, Postgres. */
import { describeDocker, removeDockerData, startDockerServices } from './docker/docker-services.ts'
import { startExternalServices } from './external-services.ts'
import { removeNativeData, startNativeServices } from './native/native-services.ts'
import { STACK_MODES } from './service.ts'
import type { ServiceOptions, Services, StackMode, StartServices } from './service.ts'

// Whoever starts services needs these words too; apart, so that no import runs in a circle.
export { SERVICE_NAMES, STACK_MODES } from './service.ts'
export type * from './service.ts'

const STARTERS: Record<StackMode, StartServices> = {
  docker: startDockerServices,
  native: startNativeServices,
  external: startExternalServices
}

export async function startServices(
  options: ServiceOptions & { mode: StackMode }
): Promise<Services> {
  return await STARTERS[options.mode](options)
}

/** What SLUICE_STACK says, else Docker where it can be used, else native, with the reason. */
export async function chooseMode(
  wanted: string | undefined
): Promise<{ mode: StackMode; reason: string }> {
  if (wanted !== undefined && wanted !== '') {
    const mode = STACK_MODES.find((candidate) => candidate === wanted)
    if (mode === undefined) {
      throw new Error(`SLUICE_STACK is "${wanted}"; it can be ${STACK_MODES.join(', ')}`)
    }
    return { mode, reason: 'SLUICE_STACK says so' }
  }
  const docker = await describeDocker()
  return { mode: docker.usable ? 'docker' : 'native', reason: docker.reason }
}

/** Throws away what a stopped stack has kept; what somebody else runs is left alone. */
export async function removeData(mode: StackMode, folder: string): Promise<void> {
  if (mode === 'native') removeNativeData(folder)
  if (mode === 'docker') await removeDockerData(folder)
}
