/** Defines the context in which a command runs: its environment and output. */
import type { Environment } from '../platform/config/config.ts'

export interface CommandContext {
  readonly environment: Environment
  readonly write: (line: string) => void
  /** Writes progress to standard error, so that it does not mix with the output. */
  readonly logProgress: (line: string) => void
}

/** Context of a long-running command. The command stops early when `signal` is aborted. */
export interface InterruptibleContext extends Omit<CommandContext, 'environment'> {
  readonly signal: AbortSignal
}
