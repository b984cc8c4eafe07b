/** One system under measurement: how it is started, what it is sent, and what a round showed. */
import type { ProcessSpec } from '../stack/process.ts'
import type { ShapeName } from './bodies.ts'

/** A row of the table; another system is another entry in rows.ts. */
export interface Row {
  /** As `--rows` takes it. */
  readonly name: string
  readonly shape: ShapeName
  /** Status that counts as accepted. */
  readonly accepted: number
  /** Where every accepted decision must be found afterwards; null where nothing is written. */
  readonly topic: string | null
  start(bench: Bench): Promise<Target>
}

/** A row that runs. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The processes whose time counts. */
  readonly pids: readonly number[]
}

/** What every row may use. */
export interface Bench {
  /** Addresses of the services and secrets, as our own programs take them. */
  readonly environment: NodeJS.ProcessEnv
  /** Of an organization without a limit. */
  readonly apiKey: string
  /** Flags for the Node of the row that is profiled. */
  readonly nodeFlags: readonly string[]
  /** Starts a process that ends with the bench; resolves with its id once it is ready. */
  run(program: Program): Promise<number>
}

export type Program = Pick<ProcessSpec, 'name' | 'args' | 'environment' | 'probe'>

/** How hard a row is driven. */
export interface Drive {
  readonly name: string
  /** Requests in a second; 0 sends the next as soon as the last is answered. */
  readonly rate: number
}

export interface Measurement {
  readonly row: string
  readonly drive: string
  readonly round: number
  readonly requests_per_second: number
  readonly cpu_us_per_accepted: number
  /** Processors that the row kept busy, on average. */
  readonly cores: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Decisions, not requests. */
  readonly accepted: number
  /** Decisions with any other answer, broken connections included. */
  readonly refused: number
}
