/** The settings of a consumer process. */
import { readConfig } from '../platform/config.ts'
import type { Config, Environment } from '../platform/config.ts'

const names = [
  'KAFKA_BROKERS',
  'SCHEMA_REGISTRY_URL',
  'DATABASE_URL',
  'DECISIONS_TOPIC',
  'EVALUATIONS_TOPIC',
  'STORAGE_GROUP_ID',
  'EVALUATION_GROUP_ID',
  'CONSUMER_BATCH_BYTES_MAX',
  'CONSUMER_SESSION_TIMEOUT_MS',
  'MANAGEMENT_HOST',
  'MANAGEMENT_PORT',
  'SHUTDOWN_DEADLINE_MS',
  'LOG_LEVEL'
] as const

export type ConsumerConfig = Config<(typeof names)[number]>

export function readConsumerConfig(environment: Environment): ConsumerConfig {
  return readConfig(environment, names)
}
