/** Runs Apicurio Registry in a container. Unless the stack is ephemeral, the registry stores
 * schemas in an H2 file, so that their IDs survive a restart.
 */
import { registryAnswers } from '../probes.ts'
import type { ContainerContext, ContainerSpec } from './container-spec.ts'
import { IMAGES } from './docker-runtime.ts'

const READY_TIMEOUT_MS = 120_000
const STOP_DEADLINE_MS = 10_000
const PORT = 8080
/** Folder that every user of the image can write to. */
const DATA_FOLDER = '/var/tmp'

export async function createRegistryContainer(
  context: ContainerContext
): Promise<{ spec: ContainerSpec; url: string }> {
  const host = await context.portOf('registry')
  const url = `http://127.0.0.1:${host}/apis/ccompat/v7`
  const database = { APICURIO_DATASOURCE_URL: `jdbc:h2:file:${DATA_FOLDER}/registry` }
  const spec: ContainerSpec = {
    name: 'registry',
    title: 'The schema registry',
    image: IMAGES.registry,
    environment: {
      APICURIO_STORAGE_KIND: 'sql',
      APICURIO_STORAGE_SQL_KIND: 'h2',
      ...(context.ephemeral ? {} : database)
    },
    ports: [{ container: PORT, host }],
    dataFolder: DATA_FOLDER,
    probe: async () => await registryAnswers(url),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  }
  return { spec, url }
}
