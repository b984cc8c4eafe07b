/** One system under measurement: how it is started and how it is called. */

export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The process whose processor time counts. */
  readonly pid: number
  stop(): Promise<void>
}

export interface Row {
  readonly name: string
  /** Status that counts as accepted. */
  readonly accepted: number
  start(bench: Bench): Promise<Target>
}

/** What every row may use: the services, their addresses and an unlimited key. */
export interface Bench {
  readonly environment: NodeJS.ProcessEnv
  readonly apiKey: string
}

/** What one round of one row showed. */
export interface Measurement {
  readonly row: string
  readonly requests_per_second: number
  readonly cpu_us_per_accepted: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly accepted: number
  /** Answers other than the accepted one, broken connections included. */
  readonly refused: number
}
