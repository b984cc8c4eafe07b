/** `npm run bench`: measures the gateway and other systems with the same decisions and broker. */
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
import type { BenchResult } from './report/bench-result.ts'
import { renderPages } from './report/page.ts'
import { keepResults } from './report/results.ts'
import { rows } from './rows.ts'
import type { Session } from './session.ts'

const root = join(import.meta.dirname, '..')
const trialFolder = join(root, '.sluice', 'bench')
const resultsFolder = join(root, 'bench', 'results')
const explanations = join(root, 'docs', 'explanation')
const pages = ['performance', 'performance-load', 'performance-storage', 'performance-profile']
const exitUsage = 2
const exitInterrupted = 130

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Modes that need services. */
const measured: Readonly<Record<string, (session: Session) => Promise<BenchResult>>> = {
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
} satisfies Partial<Record<Mode, (session: Session) => Promise<BenchResult>>>

async function onServices(
  options: BenchOptions,
  signal: AbortSignal,
  keep: (outcome: BenchResult) => void
): Promise<BenchResult> {
  const nodeFlags = options.mode === 'profile' ? profileFlags(trialFolder) : []
  const load: Load = startLoad('load/load.ts', { signal })
  let bench: OpenBench | undefined
  try {
    bench = await openBench({ say, signal, nodeFlags })
    const selected = rows.filter(({ name }) => options.rows.includes(name))
    const run = measured[options.mode] ?? compareRows
    return await run({ bench, rows: selected, options, load, say, keep })
  } finally {
    await load.stop()
    await bench?.stop()
  }
}

/** Runs a mode. Resolves with true if its result is complete. */
async function runBench(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const at = new Date(systemClock.now()).toISOString()
  const { mode } = options
  const file = options.json ?? join(folderOf(options), `${at.slice(0, 10)}-${mode}.json`)
  const keep = ({ page, figures }: BenchResult): void => {
    if (figures !== null) keepResults(file, { at, mode, page, figures })
  }
  const outcome = mode === 'micro' ? await runMicro() : await onServices(options, signal, keep)
  keep(outcome)
  say(`\n${outcome.page.join('\n')}\n`)
  say(`The results are in ${relative(process.cwd(), file)}.`)
  return outcome.isComplete
}

/**
 * Returns the folder for results. Partial measurements are saved separately, so that they do not
 * replace complete ones.
 */
function folderOf({ rows: selected, only }: BenchOptions): string {
  const isWhole = selected.length === rows.length && only.length === attackNames.length
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
    const files = pages.map((name) => join(explanations, `${name}.md`))
    for (const line of renderPages(resultsFolder, files)) say(line)
    return 0
  }
  const interrupt = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => interrupt.abort())
  }
  try {
    return (await runBench(options, interrupt.signal)) ? 0 : 1
  } catch (error) {
    if (interrupt.signal.aborted) return exitInterrupted
    throw error
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof OptionError ? exitUsage : 1
}
