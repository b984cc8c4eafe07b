/** Logs once when a service becomes unavailable or available, and again when the reason changes. */
import { rootMessageOf } from '../../core/root-message.ts'
import type { Logger } from './logger.ts'

export interface LogUnavailable {
  /**
   * Logs the reason if it differs from the last one, for example a wrong password after a timeout.
   */
  unavailable(error: unknown): void
  available(): void
}

/** @param service the start of the message, for example `Kafka` in `Kafka unavailable` */
export function createLogUnavailable(logger: Logger, service: string): LogUnavailable {
  let reported: string | null = null

  return {
    unavailable: (error) => {
      const reason = rootMessageOf(error)
      if (reason !== reported) logger.warn({ reason }, `${service} unavailable`)
      reported = reason
    },
    available: () => {
      if (reported !== null) logger.info({}, `${service} available again`)
      reported = null
    }
  }
}
