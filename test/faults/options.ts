/** What the command line asks of the long form. */
import { parseArgs } from 'node:util'
import { longForm } from './settings.ts'
import type { FaultSettings } from './settings.ts'

export interface FaultOptions {
  readonly help: boolean
  /** A folder of ledgers to be judged again; null to run faults. */
  readonly judge: string | null
  /** Whether the judgement is printed as JSON, a line for each ledger. */
  readonly json: boolean
  readonly settings: Omit<FaultSettings, 'folder'>
}

/** What is wrong with the command line, in a sentence. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export const usage = `npm run test:faults -- [options]

  --only A,B         faults to run, of: FAULTS (all)
  --seconds N        how long a fault lasts, up to 120 (${longForm.seconds})
  --rounds N         how often what is over in a moment is repeated, up to 1000 (${longForm.rounds})
  --rate N           requests in a second while gateways roll, up to 5000 (${longForm.rate})
  --seed N           of the load; the same seed sends the same decisions (${longForm.seed})
  --deadline N       PRODUCE_DEADLINE_MS of the gateways (${longForm.deadlineMs})
  --keep FOLDER      put the ledgers of storage there, and what topics and tables held
  --judge FOLDER     run nothing: judge what --keep has put there. With KAFKA_BROKERS and
                     DATABASE_URL set, against the topics and tables that are there now
  --json             print a judgement as lines of JSON, with what broke a promise
  --help             this text

Starts Kafka, a schema registry, Redis and Postgres for itself, breaks each of them, gateways and
storage under load, and compares what clients were told with what is on the topics and in the
tables. Prints tables, and fails when the promise broke.
`

export function readOptions(args: readonly string[], known: readonly string[]): FaultOptions {
  const values = parse(args)
  const only = values.only?.split(',') ?? null
  const stranger = only?.find((name) => !known.includes(name))
  if (stranger !== undefined) {
    throw new OptionError(`There is no fault "${stranger}"; the faults are ${known.join(', ')}.`)
  }
  const { help, json, judge = null, keep = null } = values
  return { help, json, judge, settings: { only, keep, ...numbersOf(values) } }
}

type Numbers = Pick<FaultSettings, 'seconds' | 'rounds' | 'rate' | 'seed' | 'deadlineMs'>

function numbersOf(values: ReturnType<typeof parse>): Numbers {
  return {
    seconds: numberOf('seconds', values.seconds, 120) ?? longForm.seconds,
    rounds: numberOf('rounds', values.rounds, 1000) ?? longForm.rounds,
    rate: numberOf('rate', values.rate, 5000) ?? longForm.rate,
    seed: numberOf('seed', values.seed, 2 ** 31) ?? longForm.seed,
    deadlineMs: numberOf('deadline', values.deadline, 30_000) ?? longForm.deadlineMs
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        rate: { type: 'string' },
        seed: { type: 'string' },
        deadline: { type: 'string' },
        keep: { type: 'string' },
        judge: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false }
      }
    }).values
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error))
  }
}

function numberOf(name: string, text: string | undefined, max: number): number | null {
  if (text === undefined) return null
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= max) return Number(text)
  throw new OptionError(`--${name} is "${text}"; it is a whole number from 1 to ${max}.`)
}
