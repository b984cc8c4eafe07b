/** Parses the command-line options of `npm run test:faults`. */
import { parseArgs } from 'node:util'
import { longForm } from './settings.ts'
import type { FaultSettings } from './settings.ts'

export interface FaultOptions {
  readonly help: boolean
  /** Folder of saved ledgers to check; null to run faults. */
  readonly check: string | null
  /** Prints one JSON line per ledger instead of a table. */
  readonly json: boolean
  readonly settings: Omit<FaultSettings, 'folder'>
}

/** Reports an invalid command line, with a message for the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export const usage = `npm run test:faults -- [options]

Options (default in parentheses):

  --only A,B         faults to run, of: FAULTS (all)
  --seconds N        duration of a fault, at most 120 (${longForm.seconds})
  --rounds N         repetitions of momentary faults, at most 1000 (${longForm.rounds})
  --rate N           requests/s during rolling restarts, at most 5000 (${longForm.rate})
  --seed N           seed of the load; the same seed sends the same decisions (${longForm.seed})
  --deadline N       PRODUCE_DEADLINE_MS of the gateways (${longForm.deadlineMs})
  --keep FOLDER      save the ledgers of storage faults with the records and rows that were read
  --check FOLDER     run no fault; check what --keep saved. With KAFKA_BROKERS and DATABASE_URL,
                     read the topics and tables again first
  --json             print the report of a check as JSON, one line per ledger
  --help             show this help

Starts its own Kafka, schema registry, Redis and Postgres. Injects faults into them, the gateways,
storage and evaluation under load, and compares the responses to clients with the topics and tables.
Prints tables, and exits with 1 if a guarantee is violated.
`

export function readOptions(args: readonly string[], known: readonly string[]): FaultOptions {
  const values = parse(args)
  const only = values.only?.split(',') ?? null
  const unknown = only?.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new OptionError(`Unknown fault "${unknown}". Allowed: ${known.join(', ')}.`)
  }
  const { help, json, check = null, keep = null } = values
  return { help, json, check, settings: { only, keep, ...numbersOf(values) } }
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
        check: { type: 'string' },
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
  throw new OptionError(`--${name} is "${text}"; it must be a whole number from 1 to ${max}.`)
}
