/** What a command finds around it. */
import type { Environment } from '../platform/config/config.ts'

export interface Surroundings {
  readonly environment: Environment
  readonly write: (line: string) => void
  /** For progress, apart from what is asked for. */
  readonly tell: (line: string) => void
}

/** Of a command that takes long: it ends early when somebody interrupts it. */
export interface InterruptibleSurroundings extends Omit<Surroundings, 'environment'> {
  readonly signal: AbortSignal
}
