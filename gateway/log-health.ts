/** Whether the log can be reached, as readiness sees it: asked every few seconds, off the requests.
 */
import type { KafkaProbe } from '../platform/kafka-probe.ts'
import type { Logger } from '../platform/logger.ts'
import { createTellAbsence } from './tell-absence.ts'

export interface LogHealth {
  isHealthy(): boolean
  stop(): void
}

const everyMs = 2000
/** One unanswered question is no outage; an answer older than this is. */
const staleAfterMs = 10_000

export function createLogHealth(dependencies: {
  probe: Pick<KafkaProbe, 'ask'>
  logger: Logger
}): LogHealth {
  const { probe, logger } = dependencies
  let answeredAt = Number.NEGATIVE_INFINITY
  let isAsking = false
  const tell = createTellAbsence(logger, 'the log')

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      await probe.ask()
      answeredAt = performance.now()
      tell.back()
    } catch (error) {
      tell.away(error)
    } finally {
      isAsking = false
    }
  }

  void ask()
  const timer = setInterval(() => void ask(), everyMs)
  return {
    isHealthy: () => performance.now() - answeredAt < staleAfterMs,
    stop: () => clearInterval(timer)
  }
}
