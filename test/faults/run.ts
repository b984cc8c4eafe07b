/** `npm run faults`: the faults of `npm test`, longer and more often, and tables of the outcome. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultNames } from './fault-titles.ts'
import { OptionError, readOptions, usage } from './options.ts'
import type { FaultOptions } from './options.ts'
import type { FaultResult } from './run-fault.ts'
import { faultsVariable } from './settings.ts'
import { tablesOf } from './table.ts'

const exitUsage = 2

/** As a phase of the tests, with other settings; resolves with whether it passed. */
async function runPhase(settings: FaultOptions['settings'], folder: string): Promise<boolean> {
  const args = ['--import', './stack/end-with-parent.mjs', 'test/run.ts', 'faults']
  const child = spawn(process.execPath, args, {
    // The channel closes when this process ends, however it ends: then the run stops, too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [faultsVariable]: JSON.stringify({ ...settings, folder }) }
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => child.kill(name))
  }
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  child.once('error', reject)
  child.once('exit', (code) => resolve(code === 0))
  return await promise
}

function readResults(folder: string): FaultResult[] {
  const files = faultNames.map((name) => join(folder, `${name}.json`))
  return files
    .filter(existsSync)
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as FaultResult)
}

async function main(args: readonly string[]): Promise<number> {
  const { help, settings } = readOptions(args, faultNames)
  if (help) {
    process.stdout.write(usage.replace('FAULTS', faultNames.join(', ')))
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-faults-'))
  try {
    const hasPassed = await runPhase(settings, folder)
    process.stdout.write(`\n${tablesOf(readResults(folder))}\n`)
    return hasPassed ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof OptionError ? exitUsage : 1
}
