/** `npm run test:faults`: the faults of `npm test`, longer and more often, and tables of them. */
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
import { foldersIn, judgeFolder, runningOf } from './storage/judge-run.ts'
import type { Judgement } from './storage/judge-run.ts'
import { judgementTableOf, storageTablesOf } from './storage/table.ts'
import type { StorageResult } from './storage/table.ts'
import { tablesOf } from './table.ts'

const exitUsage = 2
const names = [...faultNames, ...rollingFaultNames, ...storageFaultNames, ...evaluationFaultNames]
type Settings = FaultOptions['settings']

/** Aborted when the run is given up: then no further part begins. */
const told = new AbortController()

/** So many faults of storage share a stack, and the time that a phase of tests may take. */
const storageFaultsMax = 4
const chunks = Array.from({ length: Math.ceil(storageFaultNames.length / storageFaultsMax) })

interface Part {
  /** A file of tests. */
  readonly file: string
  readonly names: readonly string[]
}

/** What breaks for whom; each part has a stack of its own. */
const parts: readonly Part[] = [
  { file: 'test/faults/faults.test.ts', names: faultNames },
  { file: 'test/faults/rolling/rolling-faults.test.ts', names: rollingFaultNames },
  ...chunks.map((_, index) => ({
    file: 'test/faults/storage/storage-faults.test.ts',
    names: storageFaultNames.slice(index * storageFaultsMax, (index + 1) * storageFaultsMax)
  })),
  { file: 'test/faults/evaluation/evaluation-faults.test.ts', names: evaluationFaultNames }
]

/** As a phase of the tests, with other settings; resolves with whether it passed. */
async function runPart(file: string, settings: Settings & { folder: string }): Promise<boolean> {
  const args = ['--import', './stack/end-with-parent.mjs', 'test/run.ts', file]
  const child = spawn(process.execPath, args, {
    // The channel closes when this process ends, however it ends: then the run stops, too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [faultsVariable]: JSON.stringify(settings) }
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      told.abort()
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
      if (told.signal.aborted) return 1
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

/** Each ledger against what is running, or against what was kept of it. */
async function judgeAgain(folder: string, asJson: boolean): Promise<number> {
  const running = runningOf(process.env)
  const judgements: Judgement[] = []
  for (const each of foldersIn(folder)) judgements.push(await judgeFolder(each, running))
  if (asJson) judgements.forEach((judgement) => print(JSON.stringify(judgement)))
  else print(judgementTableOf(judgements))
  const isBroken = judgements.some(({ broken }) => Object.keys(broken).length > 0)
  return isBroken || judgements.length === 0 ? 1 : 0
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function main(args: readonly string[]): Promise<number> {
  const { help, judge, json, settings } = readOptions(args, names)
  if (help) {
    process.stdout.write(usage.replace('FAULTS', names.join(', ')))
    return 0
  }
  if (judge !== null) return await judgeAgain(judge, json)
  const keep = settings.keep === null ? null : resolve(settings.keep)
  return await runFaults({ ...settings, keep })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof OptionError ? exitUsage : 1
}
