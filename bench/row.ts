/** Defines benchmark rows: the systems to measure, their request shapes and their measurements. */
import type { ProcessSpec } from '../stack/processes/process.ts'
import type { ServiceName } from '../stack/service.ts'
import type { ShapeName } from './load/shapes.ts'
import type { LoadOrder, LoadReport } from './load/load.ts'
import type { LoadProcess } from './load/load-process.ts'

/** A row of the results table. To add a system, add an entry to rows.ts. */
export interface BenchRow {
  /** Name in `--rows`. */
  readonly name: string
  readonly shape: ShapeName
  /** Status of an accepted request. */
  readonly accepted: number
  /** Topic that must contain every accepted decision; null if the row writes none. */
  readonly topic: string | null
  /** Loads under which the row is measured. */
  readonly drives: readonly DriveName[]
  /**
   * Name of the row that determines the rate of `half load`, which is half of that row's full
   * speed. Default: the name of this row.
   */
  readonly halfOf?: string
  start(bench: Bench): Promise<BenchTarget | NotRun>
}

/** A running row. */
export interface BenchTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Processes whose CPU time counts, including their children. */
  readonly pids: readonly number[]
  /** The load process, if the row does not use HTTP. */
  readonly load?: LoadProcess<LoadOrder, LoadReport>
  /** Base URL of the management server, for Sluice processes. */
  readonly managementUrl?: string
}

/** The reason why a row cannot be measured on this machine. */
export interface NotRun {
  readonly notRun: string
}

/** Resources available to rows. */
export interface Bench {
  /** Folder for files of this run, removed at its end. */
  readonly folder: string
  /** Service addresses and secrets, as Sluice environment variables. */
  readonly environment: NodeJS.ProcessEnv
  /** Folder of the checkout from which Sluice runs. */
  readonly checkout: string
  /** API key of an organization with a rate limit that no measurement reaches. */
  readonly apiKey: string
  /** Node flags for the row to profile. */
  readonly nodeFlags: readonly string[]
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  /**
   * Starts a process and resolves with its pid when it is ready. The process is stopped when the
   * bench ends.
   */
  run(program: Program): Promise<number>
  /**
   * Returns the pid of a service.
   * @throws if the service is not a local process
   */
  servicePid(name: ServiceName): number
  /** Creates a topic with the settings of the decisions topic. */
  applyTopic(topic: string): Promise<void>
  /** Registers a function that is called when the bench ends. */
  onStop(stop: () => Promise<void>): void
}

/** Program to run. If `command` is omitted, `args` are passed to the current Node.js executable. */
export type Program = Pick<ProcessSpec, 'name' | 'args' | 'environment' | 'probe'> & {
  readonly command?: string
}

/**
 * Kind of the bodies of each load, in the order of measurement. `half load` comes after `full
 * speed`, because it runs at half the rate that `full speed` reached.
 */
export const bodiesOfDrives = {
  'full speed': 'plain',
  'full speed, unicode': 'unicode',
  'full speed, python': 'python',
  'equal rate': 'plain',
  'half load': 'plain'
} as const
export type DriveName = keyof typeof bodiesOfDrives
export const driveNames = Object.keys(bodiesOfDrives) as DriveName[]

/** Load under which a row is measured. */
export interface Drive {
  readonly name: DriveName
  /** Requests per second. If 0, each connection sends its next request after a response. */
  readonly rate: number
}

export interface Measurement {
  readonly row: string
  readonly drive: DriveName
  readonly round: number
  readonly requests_per_second: number
  readonly cpu_us_per_accepted: number
  /** Average number of CPU cores that the row used. */
  readonly cores: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Number of accepted decisions (not requests). */
  readonly accepted: number
  /** Number of decisions that were not accepted, including those lost to broken connections. */
  readonly refused: number
}
