/** What the command line asks of a benchmark. */
import { parseArgs } from 'node:util'
import { attacks } from './attacks.ts'

/** What is done: the comparison unless another is asked for. */
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
  /** Names of the attacks of --fairness. */
  readonly only: readonly string[]
  readonly rounds: number
  /** Of each measurement. */
  readonly seconds: number
  readonly connections: number
  /** Decisions that --reads has in its tables, and that --storage and --pipeline store. */
  readonly decisions: number
  /** How many processes of storage and of evaluation --pipeline starts, in turns. */
  readonly members: readonly number[]
  /** The folder of another checkout that takes turns with this one; null for none. */
  readonly against: string | null
  /** Requests in a second of the measurements at an equal rate. */
  readonly rate: number
  /** Where the figures are kept; null for a file of the day under bench/results. */
  readonly json: string | null
}

/** What is wrong with the command line, in a sentence. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export const usage = `npm run bench -- [what] [options]

Without the first part it compares the rows. Instead of that, one of:

  --cpu-prof         profile the gateway: its top functions, the profile in .sluice/bench
  --steady           one rate for ten minutes, with the gateway's memory sampled
  --overload         three times what the gateway can take
  --hot-agent        one agent with nine decisions of ten: what the others notice
  --fairness         what an innocent organization notices while another one attacks
  --storage          how fast storage writes, beside COPY of the same rows
  --pipeline         what a decision costs the whole system, beside the goals
  --evaluation       what evaluation costs its process, with rules of three kinds
  --reads            how long reads take with a month of decisions in the store
  --tail             what 200 listeners of the live tail cost storage
  --sizing           what a decision costs each process at several rates, and its bytes
  --sdk              what the SDKs cost their host, and an outage of the gateway
  --micro            the hot steps of the gateway alone, without any service
  --page             puts the newest figures into docs/performance.md

  --rows A,B         rows to compare, or the one to profile, of: ROWS (all)
  --only A,B         attacks of --fairness, of: ATTACKS (all)
  --rounds N         rounds, in each of which every row has its turn (3; 2 of --pipeline)
  --seconds N        seconds of each measurement (4; 600 of --steady, 24 of --fairness, 20 of
                     --overload, --hot-agent, --sizing and --tail)
  --connections N    connections of the load (64; 4 of --pipeline)
  --rate N           decisions/s where the rate is fixed; batches have five times as many (2000)
  --decisions N      decisions of --reads (2000000), --storage (150000) and --pipeline (60000)
  --members N,M      number of storage processes, and of evaluation processes, in --pipeline;
                     one turn per value (1). Only the first value is compared with the goals
  --against FOLDER   another checkout, with its node_modules, that takes turns with this one in
                     --pipeline, such as a clone of the last release
  --json FILE        where the figures are kept (bench/results/<date>-<what>.json)
  --help             this text

Starts Kafka, a schema registry, Redis and Postgres for itself and throws them away afterwards.
Each row is driven three times: as fast as it answers, for requests/s; every row at the same rate,
for the CPU of a decision, since a process that is asked more often wakes up less often for each;
and at half of its own speed, for the time an answer takes.
Compare ratios of one run: absolute figures follow the machine and whatever else runs on it.
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

/** All that are known when none is asked for. */
function namesOf(what: string, text: string | undefined, known: readonly string[]) {
  const names = text?.split(',') ?? known
  const stranger = names.find((name) => !known.includes(name))
  if (stranger === undefined) return names
  throw new OptionError(`There is no ${what} "${stranger}"; the ${what}s are ${known.join(', ')}.`)
}

/** A whole comparison takes less than eight minutes. */
const defaults = { rounds: 3, seconds: 4, connections: 64, rate: 2000, decisions: 2_000_000 }
/** Where a measurement is about more than a decision's cost. */
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
  ...(['steady', 'overload', 'hot-agent', 'fairness', 'storage', 'pipeline'] as const),
  ...(['evaluation', 'reads', 'tail', 'sizing', 'sdk', 'micro', 'page'] as const)
] as const

function modeOf(values: ReturnType<typeof parse>): Mode {
  const asked: Mode[] = [
    ...(values['cpu-prof'] ? ['profile' as const] : []),
    ...flagModes.filter((name) => values[name])
  ]
  if (asked.length > 1) throw new OptionError(`One thing at a time: ${asked.join(' or ')}?`)
  return asked[0] ?? 'compare'
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

function numbersOf(unasked: Numbers, asked: Partial<Record<keyof Numbers, string>>): Numbers {
  const names = Object.keys(unasked) as (keyof Numbers)[]
  return Object.fromEntries(
    names.map((name) => [name, numberOf(name, asked[name] ?? String(unasked[name]))])
  ) as Numbers
}

function numberOf(name: string, text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  throw new OptionError(`--${name} is "${text}"; it is a whole number from 1 on.`)
}
