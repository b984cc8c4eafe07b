/** Starts to index dead-letter records, and to replay and drop those that the API requests. */
import type { Clock } from '../../../core/clock.ts'
import type { RecordProducer } from '../../../platform/kafka/record-producer.ts'
import type { TopicReader } from '../../../platform/kafka/topic-reader.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { every } from '../../../platform/process/every.ts'
import {
  createDecodeDecision,
  createDecodeEvaluation
} from '../../../platform/registry/decoders.ts'
import type { Registry } from '../../../platform/registry/schema-registry.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { deadLetterTopicOf } from '../../../schemas/index.ts'
import { carryOutRequest, firstTurn } from './carry-out-requests.ts'
import type { DecodeValue } from './index-entry.ts'
import { indexTopic } from './index-topic.ts'
import { pruneTopic } from './prune-topic.ts'

export interface DeadLetterOptions {
  readonly reader: TopicReader
  readonly producer: RecordProducer
  readonly postgres: Postgres
  readonly registry: Registry
  readonly clock: Clock
  readonly logger: Logger
  readonly decisionsTopic: string
  readonly evaluationsTopic: string
}

const indexEveryMs = 2000
const requestsEveryMs = 500
const pruneEveryMs = 60_000
const backoff = { baseMs: 1000, capMs: 60_000 }

/** @returns a function that stops the work and closes the reader */
export function startDeadLetters(options: DeadLetterOptions): () => Promise<void> {
  const { reader, postgres, registry, logger } = options
  const { decisionsTopic, evaluationsTopic } = options

  function repeat(
    what: string,
    ms: number,
    work: (signal: AbortSignal) => Promise<boolean | void>
  ) {
    const onError = (error: unknown) => logger.warn({ error }, `cannot ${what}; retrying`)
    return every({ ms, backoff, onError }, work)
  }

  function maintain(originTopic: string, decode: DecodeValue) {
    const topic = deadLetterTopicOf(originTopic)
    const indexed = { ...options, topic, originTopic, decode }
    return [
      repeat(`index ${topic}`, indexEveryMs, (signal) => indexTopic(indexed, signal)),
      repeat(`prune the index of ${topic}`, pruneEveryMs, () =>
        pruneTopic({ reader, postgres, topic })
      )
    ]
  }

  const requests = {
    ...options,
    turn: firstTurn(),
    originTopics: {
      [deadLetterTopicOf(decisionsTopic)]: decisionsTopic,
      [deadLetterTopicOf(evaluationsTopic)]: evaluationsTopic
    }
  }
  const repetitions = [
    ...maintain(decisionsTopic, createDecodeDecision(registry)),
    ...maintain(evaluationsTopic, createDecodeEvaluation(registry)),
    repeat('replay or drop a dead-letter record', requestsEveryMs, (signal) =>
      carryOutRequest(requests, signal)
    )
  ]
  return async () => {
    const stopped = repetitions.map((repetition) => repetition.stop())
    // Ends requests in progress, because the client may retry them for minutes.
    await reader.close()
    await Promise.all(stopped)
  }
}
