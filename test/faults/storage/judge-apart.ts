/** Judges a run as anyone can: by the program, in a process of its own, against what is running. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Installation } from '../../support/installation.ts'
import { services } from '../../support/services.ts'
import type { Judgement } from './judge-run.ts'

export async function judgeApart(folder: string, { database }: Installation): Promise<Judgement> {
  const args = ['--no-warnings', 'test/faults/run.ts', '--judge', folder, '--json']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      KAFKA_BROKERS: services().addresses.kafkaBrokers,
      DATABASE_URL: database.url
    }
  })
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (!said.startsWith('{')) throw new Error(`the judge said nothing: ${complained}`)
  return JSON.parse(said) as Judgement
}
