/** Parses the command-line options of `npm run bench`. */
import { parseArgs } from 'node:util'
import { attacks } from './attacks.ts'

/** The kind of measurement. The default is `compare`. */
export type Mode =
  | 'compare'
  | 'profile'
  | 'steady'
  | 'overload'
  | 'hot-agent'
  | 'fairness'
  | 'storage'
  | 'pipeline'
  | 'evaluation'
  | 'reads'
  | 'tail'
  | 'sizing'
  | 'sdk'
  | 'micro'
  | 'page'

export interface BenchOptions {
  readonly help: boolean
  readonly mode: Mode
  readonly rows: readonly string[]
  /** Names of the attacks that --fairness runs. */
  readonly only: readonly string[]
  readonly rounds: number
  /** Duration of each measurement. */
  readonly seconds: number
  readonly connections: number
  /** Number of decisions that --reads queries, or that --storage and --pipeline store. */
  readonly decisions: number
  /**
   * Numbers of processes per role (storage and evaluation) that --pipeline measures, each in a
   * separate run.
   */
  readonly members: readonly number[]
  /** Folder of another checkout to compare with, or null. */
  readonly against: string | null
  /** Send rate of fixed-rate measurements, in decisions per second. */
  readonly rate: number
  /**
   * Results file. If null, the file is named after the date and mode and saved in bench/results, or
   * in .sluice/bench for partial runs.
   */
  readonly json: string | null
}

/** Invalid command line. The message is shown to the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export const usage = `npm run bench -- [mode] [options]

Modes (default: compare all rows):

  --cpu-prof         profile the gateway; the CPU profile is saved in .sluice/bench
  --steady           send at one rate for ten minutes and sample the gateway's memory
  --overload         send three times the capacity of the gateway
  --hot-agent        send nine of ten decisions from one agent; measure the effect on others
  --fairness         measure one organization while another one attacks
  --storage          compare storage with COPY of the same rows
  --pipeline         measure the whole system and compare it with its goals
  --evaluation       measure the evaluation process with three sets of rules
  --reads            measure reads with a month of decisions in Postgres
  --tail             measure what 200 connections of the live tail cost storage
  --sizing           measure CPU time and bytes per decision at several rates
  --sdk              measure what the SDKs cost their host, and an outage of the gateway
  --micro            measure the hottest steps without services
  --page             write the newest results into docs/explanation/performance*.md

Options (default in parentheses):

  --rows A,B         rows to compare, or the row to profile, of: ROWS (all)
  --only A,B         attacks of --fairness, of: ATTACKS (all)
  --rounds N         number of rounds; each measures every row once (3; 2 for --pipeline)
  --seconds N        seconds of each measurement (4; 600 for --steady, 24 for --fairness, 20 for
                     --overload, --hot-agent, --sizing and --tail)
  --connections N    connections of the load generator (64; 4 for --pipeline)
  --rate N           decisions/s at a fixed rate; rows with batches get five times as many (2000)
  --decisions N      decisions for --reads (2000000), --storage (150000) and --pipeline (60000)
  --members N,M      numbers of storage processes, and also of evaluation processes, for --pipeline;
                     one run per number (1). Only the first one is compared with the goals
  --against FOLDER   checkout with its node_modules that --pipeline compares with this one, for
                     example a clone of the last release
  --json FILE        file for the results (bench/results/<date>-<mode>.json)
  --help             show this help

Starts its own Kafka, schema registry, Redis and Postgres and removes them afterwards.

Each row is measured at full speed, for requests/s; at a rate that is equal for all rows, for the
CPU time per decision; and at half of its full speed, for the response time. The rate is equal
because a process with more requests wakes up less often for each of them. At full speed, most rows
also get bodies with escapes and unicode, and the same decisions as Python's json.dumps writes them.

Compare ratios within a run. Absolute figures depend on the machine and on other programs.
`

export function readOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  const values = parse(args)
  const mode = modeOf(values)
  return {
    help: values.help,
    mode,
    rows: namesOf('row', values.rows, known),
    only: namesOf('attack', values.only, attackNames),
    ...numbersOf({ ...defaults, ...modeDefaults[mode] }, values),
    members: values.members.split(',').map((text) => numberOf('members', text)),
    against: values.against ?? null,
    json: values.json ?? null
  }
}

export const attackNames = attacks.map(({ name }) => name)

/** Parses a comma-separated list of names. The default is all names. */
function namesOf(what: string, text: string | undefined, known: readonly string[]) {
  const names = text?.split(',') ?? known
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw new OptionError(`Unknown ${what} "${unknown}". Allowed: ${known.join(', ')}.`)
}

/** Defaults of a comparison. With these defaults, a comparison takes less than twelve minutes. */
const defaults = { rounds: 3, seconds: 4, connections: 64, rate: 2000, decisions: 2_000_000 }
/** Defaults of other modes, where they differ from those of the comparison. */
const modeDefaults: Partial<Record<Mode, Partial<typeof defaults>>> = {
  steady: { seconds: 600 },
  overload: { seconds: 20 },
  'hot-agent': { seconds: 20 },
  fairness: { seconds: 24 },
  tail: { seconds: 20 },
  sizing: { seconds: 20 },
  storage: { decisions: 150_000 },
  pipeline: { decisions: 60_000, connections: 4, rounds: 2 }
}

const flagModes = [
  'steady',
  'overload',
  'hot-agent',
  'fairness',
  'storage',
  'pipeline',
  'evaluation',
  'reads',
  'tail',
  'sizing',
  'sdk',
  'micro',
  'page'
] as const

function modeOf(values: ReturnType<typeof parse>): Mode {
  const selected: Mode[] = [
    ...(values['cpu-prof'] ? ['profile' as const] : []),
    ...flagModes.filter((name) => values[name])
  ]
  if (selected.length > 1) {
    const flags = selected.map((name) => (name === 'profile' ? '--cpu-prof' : `--${name}`))
    throw new OptionError(`Choose one mode: ${flags.join(' or ')}.`)
  }
  return selected[0] ?? 'compare'
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string' },
        only: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        rate: { type: 'string' },
        decisions: { type: 'string' },
        members: { type: 'string', default: '1' },
        against: { type: 'string' },
        json: { type: 'string' },
        'cpu-prof': { type: 'boolean', default: false },
        steady: { type: 'boolean', default: false },
        overload: { type: 'boolean', default: false },
        'hot-agent': { type: 'boolean', default: false },
        fairness: { type: 'boolean', default: false },
        storage: { type: 'boolean', default: false },
        pipeline: { type: 'boolean', default: false },
        evaluation: { type: 'boolean', default: false },
        reads: { type: 'boolean', default: false },
        tail: { type: 'boolean', default: false },
        sizing: { type: 'boolean', default: false },
        sdk: { type: 'boolean', default: false },
        micro: { type: 'boolean', default: false },
        page: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false }
      }
    }).values
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error))
  }
}

type Numbers = typeof defaults

function numbersOf(
  defaultNumbers: Numbers,
  values: Partial<Record<keyof Numbers, string>>
): Numbers {
  const names = Object.keys(defaultNumbers) as (keyof Numbers)[]
  return Object.fromEntries(
    names.map((name) => [name, numberOf(name, values[name] ?? String(defaultNumbers[name]))])
  ) as Numbers
}

function numberOf(name: string, text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  throw new OptionError(`--${name} is "${text}"; it must be a whole number of at least 1.`)
}
