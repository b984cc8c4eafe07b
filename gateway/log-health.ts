/** Whether the log can be reached, as readiness sees it: asked every few seconds, off the requests.
 */
import type { Logger } from '../platform/logger.ts'
import type { RecordProducer } from '../platform/record-producer.ts'

export interface LogHealth {
  isHealthy(): boolean
  stop(): void
}

const everyMs = 2000
/** One unanswered question is no outage; an answer older than this is. */
const staleAfterMs = 10_000

export function createLogHealth(dependencies: {
  producer: Pick<RecordProducer, 'connect'>
  logger: Logger
}): LogHealth {
  const { producer, logger } = dependencies
  let answeredAt = Number.NEGATIVE_INFINITY
  let isAsking = false

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      await producer.connect()
      answeredAt = performance.now()
    } catch (error) {
      logger.debug({ error: String(error) }, 'the log does not answer')
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
