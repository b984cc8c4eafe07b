/** Which dead-letter topic somebody means, and where its letters come from. */
import { deadLetterTopicOf } from '../../schemas/index.ts'
import type { Content } from '../records/describe.ts'

export type LetterTopicName = 'decisions' | 'evaluations'

export interface LetterTopic {
  /** The dead-letter topic. */
  readonly topic: string
  readonly origin: string
  readonly content: Content
}

export interface TopicConfig {
  readonly DECISIONS_TOPIC: string
  readonly EVALUATIONS_TOPIC: string
}

export function letterTopicOf(config: TopicConfig, name: LetterTopicName): LetterTopic {
  const isDecisions = name === 'decisions'
  const origin = isDecisions ? config.DECISIONS_TOPIC : config.EVALUATIONS_TOPIC
  const content = isDecisions ? 'decision' : 'evaluation'
  return { topic: deadLetterTopicOf(origin), origin, content }
}
