/** Whether the log can be reached, as readiness sees it: asked every few seconds, off the requests.
 */
import type { KafkaProbe } from '../../platform/kafka/kafka-probe.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { RecordProducer } from '../../platform/kafka/record-producer.ts'
import { createTellAbsence } from '../../platform/telemetry/tell-absence.ts'

export interface LogHealth {
  isHealthy(): boolean
  stop(): void
}

const everyMs = 2000
/** One unanswered question is no outage; an answer older than this is. */
const staleAfterMs = 10_000

export function createLogHealth(dependencies: {
  probe: Pick<KafkaProbe, 'ask'>
  producer: Pick<RecordProducer, 'connect'>
  logger: Logger
}): LogHealth {
  const { probe, producer, logger } = dependencies
  let answeredAt = Number.NEGATIVE_INFINITY
  let isAsking = false
  let isProducerConnected = false
  let isStopped = false
  const tell = createTellAbsence(logger, 'the log')

  /** It learns where partitions are; later it may wait for a connection that is no more. */
  async function connectProducer(): Promise<void> {
    const connected = producer.connect()
    if (isProducerConnected) connected.catch(() => {})
    else await connected
    isProducerConnected = true
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      await probe.ask()
      await connectProducer()
      answeredAt = performance.now()
      tell.back()
    } catch (error) {
      if (!isStopped) tell.away(error)
    } finally {
      isAsking = false
    }
  }

  void ask()
  const timer = setInterval(() => void ask(), everyMs)
  return {
    isHealthy: () => performance.now() - answeredAt < staleAfterMs,
    stop: () => {
      isStopped = true
      clearInterval(timer)
    }
  }
}
