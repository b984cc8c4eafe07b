/** Reads and validates the settings of a consumer process. */
import { readConfig } from '../platform/config/config.ts'
import type { Config, Environment } from '../platform/config/config.ts'
import { kafkaSettingNames } from '../platform/kafka/kafka-security.ts'

const names = [
  ...kafkaSettingNames,
  'SCHEMA_REGISTRY_URL',
  'SCHEMA_REGISTRY_TLS_CA',
  'DATABASE_URL',
  'DATABASE_TLS_CA',
  'SECRETS_KEY',
  'PRIVATE_ADDRESSES_ALLOWED',
  'JUDGE_CALLS_MAX',
  'DECISIONS_TOPIC',
  'EVALUATIONS_TOPIC',
  'STORAGE_GROUP_ID',
  'EVALUATION_GROUP_ID',
  'CONSUMER_BATCH_BYTES_MAX',
  'CONSUMER_SESSION_TIMEOUT_MS',
  'DEAD_LETTERS_MAX',
  'DECISIONS_RETENTION_DAYS',
  'AUDIT_INTERVAL_SECONDS',
  'AUDIT_WINDOW_SECONDS',
  'AUDIT_BYTES_MAX',
  'MANAGEMENT_HOST',
  'MANAGEMENT_PORT',
  'SHUTDOWN_DEADLINE_MS',
  'LOG_LEVEL'
] as const

export type ConsumerConfig = Config<(typeof names)[number]>

export function readConsumerConfig(environment: Environment): ConsumerConfig {
  return readConfig(environment, names)
}
