/** `npm run bench`: the gateway beside others, on the same bodies and the same broker. */
import { join, relative } from 'node:path'
import { systemClock } from '../platform/process/clock.ts'
import { startLoad } from './load/load-process.ts'
import type { Load } from './load/load-process.ts'
import { runMicro } from './micro/run-micro.ts'
import { compareRows } from './modes/compare.ts'
import { runEvaluation } from './modes/evaluation.ts'
import { runFairness } from './modes/fairness.ts'
import { runHotAgent } from './modes/hot-agent.ts'
import { runOverload } from './modes/overload.ts'
import { runPipeline } from './modes/pipeline.ts'
import { profileFlags, profileGateway } from './modes/profile-gateway.ts'
import { runReads } from './modes/reads.ts'
import { runSdk } from './modes/sdk.ts'
import { runSizing } from './modes/sizing.ts'
import { runSteady } from './modes/steady.ts'
import { runStorage } from './modes/storage.ts'
import { runTail } from './modes/tail.ts'
import { openBench } from './open-bench.ts'
import type { OpenBench } from './open-bench.ts'
import { attackNames, OptionError, readOptions, usage } from './options.ts'
import type { BenchOptions, Mode } from './options.ts'
import type { Outcome } from './report/outcome.ts'
import { renderPage } from './report/page.ts'
import { keepResults } from './report/results.ts'
import { rows } from './rows.ts'
import type { Session } from './session.ts'

const root = join(import.meta.dirname, '..')
const trialFolder = join(root, '.sluice', 'bench')
const resultsFolder = join(root, 'bench', 'results')
const performancePage = join(root, 'docs', 'performance.md')
const exitUsage = 2
const exitInterrupted = 130

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** What is measured on real services. */
const measured: Readonly<Record<string, (session: Session) => Promise<Outcome>>> = {
  compare: compareRows,
  profile: (session) => profileGateway(session, trialFolder),
  steady: runSteady,
  overload: runOverload,
  'hot-agent': runHotAgent,
  fairness: runFairness,
  storage: runStorage,
  pipeline: runPipeline,
  reads: runReads,
  tail: runTail,
  sizing: runSizing,
  sdk: runSdk,
  evaluation: (session) => runEvaluation(session, trialFolder)
} satisfies Partial<Record<Mode, (session: Session) => Promise<Outcome>>>

async function onServices(
  options: BenchOptions,
  signal: AbortSignal,
  keep: (outcome: Outcome) => void
): Promise<Outcome> {
  const nodeFlags = options.mode === 'profile' ? profileFlags(trialFolder) : []
  const load: Load = startLoad('load/load.ts', { signal })
  let bench: OpenBench | undefined
  try {
    bench = await openBench({ say, signal, nodeFlags })
    const asked = rows.filter(({ name }) => options.rows.includes(name))
    const run = measured[options.mode] ?? compareRows
    return await run({ bench, rows: asked, options, load, say, keep })
  } finally {
    await load.stop()
    await bench?.stop()
  }
}

/** Resolves with whether everything that was accepted was found again. */
async function runBench(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const at = new Date(systemClock.now()).toISOString()
  const { mode } = options
  const file = options.json ?? join(folderOf(options), `${at.slice(0, 10)}-${mode}.json`)
  const keep = ({ page, figures }: Outcome): void => {
    if (figures !== null) keepResults(file, { at, mode, page, figures })
  }
  const outcome = mode === 'micro' ? await runMicro() : await onServices(options, signal, keep)
  keep(outcome)
  say(`\n${outcome.page.join('\n')}\n`)
  say(`The figures are in ${relative(process.cwd(), file)}.`)
  return outcome.isComplete
}

/** What is only a part of a measurement takes the place of no whole one. */
function folderOf({ rows: asked, only }: BenchOptions): string {
  const isWhole = asked.length === rows.length && only.length === attackNames.length
  return isWhole ? resultsFolder : trialFolder
}

async function main(): Promise<number> {
  const known = rows.map(({ name }) => name)
  const options = readOptions(process.argv.slice(2), known)
  if (options.help) {
    const [all, every] = [known.join(', '), attackNames.join(', ')]
    process.stdout.write(usage.replace('ROWS', all).replace('ATTACKS', every))
    return 0
  }
  if (options.mode === 'page') {
    for (const line of renderPage(resultsFolder, performancePage)) say(line)
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
