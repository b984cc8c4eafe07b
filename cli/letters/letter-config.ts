/** The settings of the commands that choose dead letters: the log, and what was done about them. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'

export function readLetterConfig(environment: Environment) {
  return readConfig(environment, [
    ...kafkaSettingNames,
    ...(['DATABASE_URL', 'DATABASE_TLS_CA', 'DECISIONS_TOPIC', 'EVALUATIONS_TOPIC'] as const)
  ])
}
