/** `npm run bench`: the gateway beside others, on the same bodies and the same broker. */
import { join, relative } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { startLoad } from './load-process.ts'
import { OptionError, readOptions, usage } from './options.ts'
import type { BenchOptions } from './options.ts'
import { clearProfiles, profileFlags, profileRow } from './profile-row.ts'
import { isComplete, sentenceOf } from './record-count.ts'
import { keepResults } from './results.ts'
import { rows } from './rows.ts'
import { floor } from './rows/floor.ts'
import { gateway } from './rows/gateway.ts'
import { openBench } from './open-bench.ts'
import type { OpenBench } from './open-bench.ts'
import { runSession } from './session.ts'
import type { Session } from './session.ts'
import { markdownOf, tableOf } from './table.ts'

const root = join(import.meta.dirname, '..')
const profileFolder = join(root, '.sluice', 'bench')
const exitUsage = 2
const exitInterrupted = 130

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Resolves with whether everything that was accepted was found again. */
async function compareRows(session: Session): Promise<boolean> {
  const { options } = session
  const at = new Date(systemClock.now()).toISOString()
  const { measurements, counts } = await runSession(session)
  const table = tableOf(measurements, floor.name)
  say(`\n${markdownOf(table)}\n`)
  for (const count of counts) say(sentenceOf(count))
  const file = options.json ?? join(root, 'bench', 'results', `${at.slice(0, 10)}.json`)
  const { rounds, seconds, connections } = options
  keepResults(file, { at, rounds, seconds, connections, counts, table, measurements })
  say(`The figures are in ${relative(process.cwd(), file)}.`)
  return counts.every(isComplete)
}

async function runBench(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const nodeFlags = options.isProfiling ? profileFlags(profileFolder) : []
  const load = startLoad(signal)
  let bench: OpenBench | undefined
  try {
    bench = await openBench({ say, signal, nodeFlags })
    const measured = rows.filter(({ name }) => options.rows.includes(name))
    const session: Session = { bench, rows: measured, options, load, say }
    if (!options.isProfiling) return await compareRows(session)
    clearProfiles(profileFolder)
    await profileRow(session, gateway, profileFolder)
    return true
  } finally {
    await load.stop()
    await bench?.stop()
  }
}

async function main(): Promise<number> {
  const known = rows.map(({ name }) => name)
  const options = readOptions(process.argv.slice(2), known)
  if (options.help) {
    process.stdout.write(usage.replace('ROWS', known.join(', ')))
    return 0
  }
  const told = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => told.abort())
  }
  try {
    return (await runBench(options, told.signal)) ? 0 : 1
  } catch (error) {
    if (told.signal.aborted) return exitInterrupted
    throw error
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof OptionError ? exitUsage : 1
}
