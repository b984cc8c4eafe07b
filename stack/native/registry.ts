/** Runs Apicurio Registry as a process. Unless the stack is ephemeral, the registry stores schemas
 * in an H2 file, so that their IDs survive a restart.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { registryAnswers } from '../probes.ts'
import { temporaryFolderOption } from './java-temporary-folder.ts'
import type { NativeContext } from './native-service.ts'

const READY_TIMEOUT_MS = 90_000
const STOP_DEADLINE_MS = 30_000

export async function startRegistry(context: NativeContext): Promise<{ url: string; pid: number }> {
  const program = await context.downloads.fetch('apicurio-3.0.9', (detail) => {
    context.onDownload('registry', detail)
  })
  const jar = readdirSync(program).find((name) => name.endsWith('-runner.jar'))
  if (jar === undefined)
    throw new Error(`no runner jar in ${program}; delete the folder and start again`)
  const folder = context.folderOf('registry')
  const port = await context.portOf('registry')
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`
  context.onStarting('registry', url)
  const database = `jdbc:h2:file:${join(folder, 'registry')}`
  const storage = [
    '-Dapicurio.storage.kind=sql',
    '-Dapicurio.storage.sql.kind=h2',
    ...(context.ephemeral ? [] : [`-Dapicurio.datasource.url=${database}`])
  ]
  const pid = await context.supervisor.start({
    name: 'registry',
    title: 'The schema registry',
    command: context.java,
    args: [
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      ...context.archiveOptions('apicurio-3.0.9'),
      temporaryFolderOption(folder),
      '-Dquarkus.http.host=127.0.0.1',
      `-Dquarkus.http.port=${port}`,
      ...storage,
      '-jar',
      join(program, jar)
    ],
    cwd: folder,
    probe: async () => await registryAnswers(url),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopSignal: context.ephemeral ? 'SIGKILL' : 'SIGTERM',
    stopDeadlineMs: STOP_DEADLINE_MS
  })
  return { url, pid }
}
