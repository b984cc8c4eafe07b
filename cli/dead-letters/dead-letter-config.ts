/** Reads the settings of commands that select dead-letter records. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'

export function readDeadLetterConfig(environment: Environment) {
  return readConfig(environment, [
    ...kafkaSettingNames,
    'DATABASE_URL',
    'DATABASE_TLS_CA',
    'DECISIONS_TOPIC',
    'EVALUATIONS_TOPIC'
  ])
}
