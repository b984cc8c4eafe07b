/** Whether the log can be reached, as readiness sees it: asked every few seconds, off the requests.
 */
import { rootMessageOf } from '../core/root-message.ts'
import type { KafkaProbe } from '../platform/kafka-probe.ts'
import type { Logger } from '../platform/logger.ts'

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
  let told: string | null = null

  /** Said when it changes: an outage is two lines, and a wrong password is not silence. */
  function tell(reason: string | null): void {
    if (reason === told) return
    if (reason === null) logger.info({}, 'the log answers again')
    else logger.warn({ reason }, 'the log does not answer')
    told = reason
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      await probe.ask()
      answeredAt = performance.now()
      tell(null)
    } catch (error) {
      tell(rootMessageOf(error))
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
