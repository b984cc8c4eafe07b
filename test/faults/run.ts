/** Implements `npm run test:faults`, which runs longer faults than `npm test` and prints result
 * tables.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { evaluationFaultNames } from './evaluation/fault-titles.ts'
import { evaluationTablesOf } from './evaluation/table.ts'
import type { EvaluationResult } from './evaluation/table.ts'
import { faultNames } from './fault-titles.ts'
import { rollingFaultNames } from './rolling/fault-titles.ts'
import type { RollingResult } from './rolling/run-rolling-fault.ts'
import { rollingTablesOf } from './rolling/table.ts'
import { OptionError, readOptions, usage } from './options.ts'
import type { FaultOptions } from './options.ts'
import type { FaultResult } from './run-fault.ts'
import { faultsVariable } from './settings.ts'
import { storageFaultNames } from './storage/fault-titles.ts'
import { foldersIn, checkFolder, runningOf } from './storage/check-folder.ts'
import type { FolderReport } from './storage/check-folder.ts'
import { reportTableOf, storageTablesOf } from './storage/table.ts'
import type { StorageResult } from './storage/table.ts'
import { tablesOf } from './table.ts'

const exitUsage = 2
const names = [...faultNames, ...rollingFaultNames, ...storageFaultNames, ...evaluationFaultNames]
type Settings = FaultOptions['settings']

/** Aborted by SIGINT, SIGTERM or SIGHUP, so that no further part starts. */
const interrupt = new AbortController()

/** Maximum number of storage faults per part, which limits the duration of a part. */
const storageFaultsMax = 4
const chunks = Array.from({ length: Math.ceil(storageFaultNames.length / storageFaultsMax) })

interface Part {
  readonly file: string
  readonly names: readonly string[]
}

/** Parts of the run. Each part has its own stack. */
const parts: readonly Part[] = [
  { file: 'test/faults/faults.test.ts', names: faultNames },
  { file: 'test/faults/rolling/rolling-faults.test.ts', names: rollingFaultNames },
  ...chunks.map((_, index) => ({
    file: 'test/faults/storage/storage-faults.test.ts',
    names: storageFaultNames.slice(index * storageFaultsMax, (index + 1) * storageFaultsMax)
  })),
  { file: 'test/faults/evaluation/evaluation-faults.test.ts', names: evaluationFaultNames }
]

/** Runs one test file with the given settings, and resolves with true if it passed. */
async function runPart(file: string, settings: Settings & { folder: string }): Promise<boolean> {
  const args = ['--import', './stack/end-with-parent.mjs', 'test/run.ts', file]
  const child = spawn(process.execPath, args, {
    // The IPC channel closes when this process exits for any reason, which makes the child exit
    // too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [faultsVariable]: JSON.stringify(settings) }
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      interrupt.abort()
      child.kill(name)
    })
  }
  const { promise, resolve: end, reject } = Promise.withResolvers<boolean>()
  child.once('error', reject)
  child.once('exit', (code) => end(code === 0))
  return await promise
}

function readResults<T>(folder: string, of: readonly string[]): T[] {
  const files = of.map((name) => join(folder, `${name}.json`))
  return files.filter(existsSync).map((file) => JSON.parse(readFileSync(file, 'utf8')) as T)
}

async function runFaults(settings: Settings): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-faults-'))
  const isWanted = (name: string): boolean => settings.only?.includes(name) ?? true
  try {
    let hasPassed = true
    for (const { file, names: all } of parts) {
      const only = all.filter(isWanted)
      if (only.length === 0) continue
      if (interrupt.signal.aborted) return 1
      hasPassed = (await runPart(file, { ...settings, only, folder })) && hasPassed
    }
    const gateway = readResults<FaultResult>(folder, faultNames)
    const rolling = readResults<RollingResult>(folder, rollingFaultNames)
    const storage = readResults<StorageResult>(folder, storageFaultNames)
    const evaluation = readResults<EvaluationResult>(folder, evaluationFaultNames)
    if (gateway.length > 0) print(tablesOf(gateway))
    if (rolling.length > 0) print(rollingTablesOf(rolling))
    if (storage.length > 0) print(storageTablesOf(storage))
    if (evaluation.length > 0) print(evaluationTablesOf(evaluation))
    return hasPassed ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Checks saved ledgers against running services or saved evidence. */
async function checkAgain(folder: string, asJson: boolean): Promise<number> {
  const running = runningOf(process.env)
  const reports: FolderReport[] = []
  for (const each of foldersIn(folder)) reports.push(await checkFolder(each, running))
  if (asJson) reports.forEach((report) => print(JSON.stringify(report)))
  else print(reportTableOf(reports))
  const isBroken = reports.some(({ broken }) => Object.keys(broken).length > 0)
  return isBroken || reports.length === 0 ? 1 : 0
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function main(args: readonly string[]): Promise<number> {
  const { help, check, json, settings } = readOptions(args, names)
  if (help) {
    process.stdout.write(usage.replace('FAULTS', names.join(', ')))
    return 0
  }
  if (check !== null) return await checkAgain(check, json)
  const keep = settings.keep === null ? null : resolve(settings.keep)
  return await runFaults({ ...settings, keep })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof OptionError ? exitUsage : 1
}
