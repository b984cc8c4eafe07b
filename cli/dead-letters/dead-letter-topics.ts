/** Maps topic names on the command line to dead-letter topics and their original topics. */
import { deadLetterTopicOf } from '../../schemas/index.ts'
import type { RecordContent } from '../records/decode-record.ts'

export type DeadLetterTopicName = 'decisions' | 'evaluations'

interface DeadLetterTopic {
  /** Name of the dead-letter topic. */
  readonly topic: string
  readonly origin: string
  readonly content: RecordContent
}

interface TopicConfig {
  readonly DECISIONS_TOPIC: string
  readonly EVALUATIONS_TOPIC: string
}

export function deadLetterTopicOfName(
  config: TopicConfig,
  name: DeadLetterTopicName
): DeadLetterTopic {
  const isDecisions = name === 'decisions'
  const origin = isDecisions ? config.DECISIONS_TOPIC : config.EVALUATIONS_TOPIC
  const content = isDecisions ? 'decision' : 'evaluation'
  return { topic: deadLetterTopicOf(origin), origin, content }
}
