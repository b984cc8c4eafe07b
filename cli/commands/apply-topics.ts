/** `sluice topics apply`: creates the topics, or updates them to match their definition. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import { topicDefinitions } from '../../schemas/index.ts'
import { topicNamesOf } from '../topic-names.ts'
import { withAdmin } from '../with-admin.ts'

interface ApplyTopicsOptions {
  readonly replicationFactor: number
  readonly write: (line: string) => void
}

export async function applyTopics(environment: Environment, options: ApplyTopicsOptions) {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    'DECISIONS_TOPIC',
    'EVALUATIONS_TOPIC'
  ])
  const names = topicNamesOf(config)
  await withAdmin(config, async (admin) => {
    for (const { role, partitions, config: settings } of topicDefinitions) {
      const change = await admin.applyTopic({
        name: names[role],
        partitions,
        replicationFactor: options.replicationFactor,
        config: settingsOf(settings, options.replicationFactor)
      })
      options.write([`${change.action} ${change.topic}`, ...change.details].join('\n  '))
    }
  })
}

/**
 * Returns the settings of a topic. With three or more replicas, a write is acknowledged only after
 * at least two replicas have it.
 */
function settingsOf(settings: Readonly<Record<string, string>>, replicationFactor: number) {
  if (replicationFactor < 3) return settings
  return { ...settings, 'min.insync.replicas': '2' }
}
