/** Checks every few seconds, outside the request path, whether Kafka is reachable. */
import type { KafkaProbe } from '../../platform/kafka/kafka-probe.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { every } from '../../platform/process/every.ts'
import type { RecordProducer } from '../../platform/kafka/record-producer.ts'
import { createLogUnavailable } from '../../platform/telemetry/log-unavailable.ts'

interface KafkaHealth {
  isHealthy(): boolean
  stop(): void
}

const everyMs = 2000
/**
 * Time in milliseconds without a successful check after which Kafka counts as unhealthy. A single
 * failed check is not an outage.
 */
const staleAfterMs = 10_000

export function createKafkaHealth(dependencies: {
  probe: Pick<KafkaProbe, 'check'>
  producer: Pick<RecordProducer, 'connect'>
  logger: Logger
}): KafkaHealth {
  const { probe, producer, logger } = dependencies
  let checkedAt = Number.NEGATIVE_INFINITY
  let isProducerConnected = false
  let isStopped = false
  const log = createLogUnavailable(logger, 'Kafka')

  /**
   * Awaits only the first connection, which fetches the partitions. Later calls are not awaited,
   * because they can hang on a lost connection.
   */
  async function connectProducer(): Promise<void> {
    const connected = producer.connect()
    if (isProducerConnected) connected.catch(() => {})
    else await connected
    isProducerConnected = true
  }

  const checking = every(
    {
      ms: everyMs,
      jitter: 0,
      onError: (error) => {
        if (!isStopped) log.unavailable(error)
      }
    },
    async () => {
      await probe.check()
      await connectProducer()
      checkedAt = performance.now()
      log.available()
    }
  )

  return {
    isHealthy: () => performance.now() - checkedAt < staleAfterMs,
    stop: () => {
      isStopped = true
      void checking.stop()
    }
  }
}
