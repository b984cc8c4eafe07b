/** One system under measurement: how it is started, what it is sent, and what a round showed. */
import type { ProcessSpec } from '../stack/processes/process.ts'
import type { ServiceName } from '../stack/service.ts'
import type { ShapeName } from './load/shapes.ts'
import type { LoadOrder, LoadReport } from './load/load.ts'
import type { LoadProcess } from './load/load-process.ts'

/** A row of the table; another system is another entry in rows.ts. */
export interface Row {
  /** As `--rows` takes it. */
  readonly name: string
  readonly shape: ShapeName
  /** Status that counts as accepted. */
  readonly accepted: number
  /** Where every accepted decision must be found afterwards; null where nothing is written. */
  readonly topic: string | null
  /** How it is driven. */
  readonly drives: readonly DriveName[]
  /** The row whose full speed is halved for `half load`; its own when it is left out. */
  readonly halfOf?: string
  start(bench: Bench): Promise<Target | NotRun>
}

/** A row that runs. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The processes whose time counts, and with them their children. */
  readonly pids: readonly number[]
  /** What drives it where that is not HTTP. */
  readonly load?: LoadProcess<LoadOrder, LoadReport>
  /** Where our own programs answer /metrics. */
  readonly managementUrl?: string
}

/** Why a row cannot be measured on this machine, in a sentence. */
export interface NotRun {
  readonly notRun: string
}

/** What every row may use. */
export interface Bench {
  /** For files of this run; thrown away at its end. */
  readonly folder: string
  /** Addresses of the services and secrets, as our own programs take them. */
  readonly environment: NodeJS.ProcessEnv
  /** The sources that our own programs run from. */
  readonly checkout: string
  /** Of an organization without a limit. */
  readonly apiKey: string
  /** Flags for the Node of the row that is profiled. */
  readonly nodeFlags: readonly string[]
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  /** Starts a process that ends with the bench; resolves with its id once it is ready. */
  run(program: Program): Promise<number>
  /** @throws when the service is not a process of this machine. */
  servicePid(name: ServiceName): number
  /** Makes a topic that is like the one for decisions. */
  applyTopic(topic: string): Promise<void>
  /** Called when the bench ends. */
  onStop(stop: () => Promise<void>): void
}

/** Runs on this Node unless it names a `command`. */
export type Program = Pick<ProcessSpec, 'name' | 'args' | 'environment' | 'probe'> & {
  readonly command?: string
}

/** Half load comes after the full speed that it halves. */
export const driveNames = ['full speed', 'equal rate', 'half load'] as const
export type DriveName = (typeof driveNames)[number]

/** How hard a row is driven. */
export interface Drive {
  readonly name: DriveName
  /** Requests in a second; 0 sends the next as soon as the last is answered. */
  readonly rate: number
}

export interface Measurement {
  readonly row: string
  readonly drive: DriveName
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
