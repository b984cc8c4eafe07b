/** Tests that child processes end when the supervisor is killed. */
import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startTimeOf } from '../../../stack/processes/run-file.ts'
import { waitUntil } from '../../../stack/wait-until.ts'

const SUPERVISOR = join(import.meta.dirname, '../../../stack/processes/supervisor.ts')

/** Returns a program that starts `sh` under a supervisor and prints the process id of `sh`. */
function programIn(folder: string, args: readonly string[]): string {
  return `
    const { createSupervisor } = await import(${JSON.stringify(SUPERVISOR)})
    const supervisor = createSupervisor({ folder: ${JSON.stringify(folder)}, name: 'services' })
    const probe = async () => true
    const limits = { readyTimeoutMs: 5000, stopDeadlineMs: 5000 }
    const command = { command: 'sh', args: ${JSON.stringify(args)} }
    console.log(await supervisor.start({ name: 's', title: 'S', ...command, probe, ...limits }))
    setInterval(() => {}, 1000)`
}

test.each([
  ['handles SIGTERM', 'exec sleep 600'],
  ['ignores SIGTERM', 'trap "" TERM; sleep 600']
])('a supervisor killed with SIGKILL leaves no process that %s', async (_what, script) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-orphans-'))
  const args = ['--input-type=module', '-e', programIn(folder, ['-c', script])]
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string]
  const pid = Number(line)
  expect(startTimeOf(pid)).not.toBeNull()
  program.kill('SIGKILL')
  await waitUntil({
    what: `process ${pid} did not end`,
    timeoutMs: 30_000,
    probe: async () => await Promise.resolve(startTimeOf(pid) === null)
  })
  rmSync(folder, { recursive: true, force: true })
})
