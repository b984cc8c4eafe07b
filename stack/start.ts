/** `npm start`: runs Sluice with all its services on this machine until Ctrl-C. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bringUp } from './bring-up.ts'
import type { Stack } from './bring-up.ts'
import { readLocalFile, writeLocalFile } from './local-file.ts'
import { preflight, thisMachine } from './preflight.ts'
import { createPaint, createProgress } from './progress.ts'
import type { StartProgress } from './progress.ts'
import { claimRunFile } from './processes/run-file.ts'
import { SAMPLES } from './tour/samples.ts'
import { chooseMode, removeData } from './services.ts'
import { summaryOf, tourTable } from './tour/summary.ts'
import { runTour } from './tour/tour.ts'

const FOLDER = join(import.meta.dirname, '..', '.sluice')
const LOCAL_FILE = join(FOLDER, 'local.json')

const HELP = `npm start                 start Kafka, a schema registry, Redis, Postgres and Sluice
npm start -- --reset      delete all data, keys and users, then start
npm start -- --help       print this text

SLUICE_STACK=native       run the services as processes (needs Java 17 or later, and Maven)
SLUICE_STACK=docker       run the services as containers
SLUICE_STACK=external     use KAFKA_BROKERS, SCHEMA_REGISTRY_URL, REDIS_URL and DATABASE_URL
GATEWAY_PORT, MANAGEMENT_PORT   ports of the gateway (default: 8080 and 9464)
SLUICE_CACHE              folder for downloads (default: ~/.cache/sluice)
`

const paint = createPaint(process.stdout.isTTY)

function print(...lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

type Stopper = { title: string; stop: () => Promise<void> }

/** Stops everything in the reverse of the startup order: applications first, services last. */
async function stopAll(stoppers: Stopper[]): Promise<void> {
  if (stoppers.length > 0) print('', 'Stopping')
  for (const { title, stop } of stoppers.toReversed()) {
    const startedAt = performance.now()
    await stop()
    print(`  ${title} stopped (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  }
  // Clears the process IDs, because scripts must not signal later processes with the same IDs.
  const local = readLocalFile(LOCAL_FILE)
  if (local !== null) writeLocalFile(LOCAL_FILE, { ...local, pids: {} })
}

/** Sends sample decisions and prints their results. Prints a failure, but does not rethrow it. */
async function showSamples({ api, local }: Stack, progress: StartProgress): Promise<void> {
  const step = progress.step('Sample decisions', 'sent, waiting for evaluation')
  try {
    const rows = await runTour(api, local, SAMPLES)
    const stored = rows.filter((row) => row.storedMs !== null).length
    const evaluated = rows.filter((row) => row.evaluatedMs !== null).length
    const detail = `${rows.length} sent, ${stored} stored, ${evaluated} evaluated`
    if (Math.min(stored, evaluated) === rows.length) step.done(detail)
    else step.fail(`${detail}; see .sluice/logs`)
    print('', ...tourTable(rows).map((line) => `  ${line}`), '')
  } catch (error) {
    step.fail()
    if (error instanceof Error) print('', `  ${error.message}`, '')
  }
}

async function run(reset: boolean, signal: AbortSignal, stoppers: Stopper[]): Promise<void> {
  const { mode, reason } = await chooseMode(process.env['SLUICE_STACK'])
  preflight(mode, thisMachine(FOLDER))
  print(`${paint('bold', 'Sluice')}  services: ${mode} (${reason})`, '')
  if (reset) {
    await removeData(mode, FOLDER)
    for (const name of ['local.json', 'secrets.json']) rmSync(join(FOLDER, name), { force: true })
  }
  const progress = createProgress(process.stdout)
  let stack: Stack | undefined
  try {
    stack = await bringUp({
      folder: FOLDER,
      mode,
      progress,
      signal,
      onCrash: (crash) => {
        if (!signal.aborted) progress.print(`${paint('red', '!')} ${crash.message}`)
      },
      onRevived: (name) => {
        progress.print(`  ${name} was restarted`)
        stack?.refreshPids()
      },
      onStarted: (title, stop) => stoppers.push({ title, stop })
    })
    await showSamples(stack, progress)
  } finally {
    progress.close()
  }
  print(...summaryOf(stack.local, paint))
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function main(): Promise<number> {
  const options = { reset: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  const { values } = parseArgs({ options })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const stopping = new AbortController()
  // Repeated signals have no further effect. A terminal and npm may both forward the same Ctrl-C.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => stopping.abort())
  }
  const claim = claimRunFile(join(FOLDER, 'run', 'start.json'))
  const stoppers: Stopper[] = []
  let code = 0
  try {
    await run(values.reset === true, stopping.signal, stoppers)
  } catch (error) {
    if (!stopping.signal.aborted) {
      code = 1
      print('', paint('red', error instanceof Error ? error.message : String(error)))
    }
  }
  await stopAll(stoppers)
  claim.release()
  if (stopping.signal.aborted) print('All processes are stopped. The data is kept.')
  return code
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
