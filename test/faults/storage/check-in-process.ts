/** Checks a storage run with `npm run test:faults -- --check` in a separate process. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Installation } from '../../support/installation.ts'
import { services } from '../../support/services.ts'
import type { FolderReport } from './check-folder.ts'

export async function checkInProcess(
  folder: string,
  { database }: Installation
): Promise<FolderReport> {
  const args = ['--no-warnings', 'test/faults/run.ts', '--check', folder, '--json']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      KAFKA_BROKERS: services().addresses.kafkaBrokers,
      DATABASE_URL: database.url
    }
  })
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (!said.startsWith('{')) throw new Error(`the check failed without a report: ${complained}`)
  return JSON.parse(said) as FolderReport
}
