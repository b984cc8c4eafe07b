/** The settings of a gateway process. */
import { readConfig } from '../platform/config.ts'
import type { Config, Environment } from '../platform/config.ts'

const names = [
  'KAFKA_BROKERS',
  'SCHEMA_REGISTRY_URL',
  'REDIS_URL',
  'DATABASE_URL',
  'API_KEY_PEPPER',
  'SESSION_SIGNING_KEY',
  'GATEWAY_HOST',
  'GATEWAY_PORT',
  'GATEWAY_ROUTES',
  'MANAGEMENT_HOST',
  'MANAGEMENT_PORT',
  'DOCS_ENABLED',
  'RATE_LIMIT_POINTS',
  'RATE_LIMIT_WINDOW_SECONDS',
  'DECISIONS_TOPIC',
  'PRODUCE_DEADLINE_MS',
  'PRODUCE_LINGER_MS',
  'IN_FLIGHT_BYTES_MAX',
  'SHUTDOWN_DEADLINE_MS',
  'LOG_LEVEL'
] as const

export type GatewayConfig = Config<(typeof names)[number]>

export function readGatewayConfig(environment: Environment): GatewayConfig {
  return readConfig(environment, names)
}
