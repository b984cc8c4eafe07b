/** How texts of options are parsed, and what a command finds around it. */
import { InvalidArgumentError } from 'commander'
import type { Environment } from '../../platform/config.ts'

export interface Surroundings {
  readonly environment: Environment
  readonly write: (line: string) => void
  /** For progress, apart from what is asked for. */
  readonly tell: (line: string) => void
}

/** So that what is wrong is told together with the option it is about. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
    }
  }
}
