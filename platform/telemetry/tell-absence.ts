/** Says in the log when a service goes away, when the reason changes, and when it is back. */
import { rootMessageOf } from '../../core/root-message.ts'
import type { Logger } from './logger.ts'

export interface TellAbsence {
  /** Says it once, however often it fails for the same reason: a wrong password is not silence. */
  away(error: unknown): void
  back(): void
}

/** `service` begins the sentence: `the log` does not answer. */
export function createTellAbsence(logger: Logger, service: string): TellAbsence {
  let told: string | null = null

  return {
    away: (error) => {
      const reason = rootMessageOf(error)
      if (reason !== told) logger.warn({ reason }, `${service} does not answer`)
      told = reason
    },
    back: () => {
      if (told !== null) logger.info({}, `${service} answers again`)
      told = null
    }
  }
}
