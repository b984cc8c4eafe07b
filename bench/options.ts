/** What the command line asks of a benchmark. */
import { parseArgs } from 'node:util'

export interface BenchOptions {
  readonly help: boolean
  readonly rows: readonly string[]
  readonly rounds: number
  /** Of each measurement. */
  readonly seconds: number
  readonly connections: number
  /** Requests in a second of the measurements at an equal rate. */
  readonly rate: number
  /** Where the figures are kept; null for a file of the day under bench/results. */
  readonly json: string | null
  readonly isProfiling: boolean
}

/** What is wrong with the command line, in a sentence. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export const usage = `npm run bench -- [options]

  --rows A,B         rows to measure, of: ROWS (all)
  --rounds N         rounds, in each of which every row has its turn (3)
  --seconds N        seconds of each measurement (5)
  --connections N    connections of the load (64)
  --rate N           requests/s of the measurements at an equal rate (2000)
  --json FILE        where the figures are kept (bench/results/<date>.json)
  --cpu-prof         profile the gateway instead: its top functions, the profile in .sluice/bench
  --help             this text

Starts Kafka, a schema registry, Redis and Postgres for itself and throws them away afterwards.
Each row is driven twice: as fast as it answers, for requests/s; and every row at the same rate,
for the CPU of a decision, since a process that is asked more often wakes up less often for each.
Compare ratios of one run: absolute figures follow the machine and whatever else runs on it.
`

export function readOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  const values = parse(args)
  const rows = values.rows?.split(',') ?? known
  const stranger = rows.find((name) => !known.includes(name))
  if (stranger !== undefined) {
    throw new OptionError(`There is no row "${stranger}"; the rows are ${known.join(', ')}.`)
  }
  return {
    help: values.help,
    rows,
    rounds: numberOf('rounds', values.rounds),
    seconds: numberOf('seconds', values.seconds),
    connections: numberOf('connections', values.connections),
    rate: numberOf('rate', values.rate),
    json: values.json ?? null,
    isProfiling: values['cpu-prof']
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '5' },
        connections: { type: 'string', default: '64' },
        rate: { type: 'string', default: '2000' },
        json: { type: 'string' },
        'cpu-prof': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false }
      }
    }).values
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error))
  }
}

function numberOf(name: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new OptionError(`--${name} is "${text}"; it is a whole number from 1 on.`)
}
