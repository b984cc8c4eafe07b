/** Maps topic roles to the topic names of this installation. */
import type { Config } from '../platform/config/config.ts'
import { deadLetterTopicOf } from '../schemas/index.ts'
import type { TopicDefinition } from '../schemas/index.ts'

export type TopicNames = Readonly<Record<TopicDefinition['role'], string>>

export function topicNamesOf(config: Config<'DECISIONS_TOPIC' | 'EVALUATIONS_TOPIC'>): TopicNames {
  return {
    decisions: config.DECISIONS_TOPIC,
    evaluations: config.EVALUATIONS_TOPIC,
    decisions_dead_letter: deadLetterTopicOf(config.DECISIONS_TOPIC),
    evaluations_dead_letter: deadLetterTopicOf(config.EVALUATIONS_TOPIC)
  }
}
