/** Reads the settings of a gateway process. */
import { readConfig } from '../platform/config/config.ts'
import type { Config, Environment } from '../platform/config/config.ts'
import { kafkaSettingNames } from '../platform/kafka/kafka-security.ts'

const names = [
  ...kafkaSettingNames.filter((name) => name !== 'KAFKA_BROKERS'),
  'SCHEMA_REGISTRY_TLS_CA',
  'REDIS_URL',
  'REDIS_TLS_CA',
  'DATABASE_URL',
  'DATABASE_TLS_CA',
  'API_KEY_PEPPER',
  'SESSION_VERIFICATION_KEYS',
  'REGISTRATION',
  'MAIL_URL',
  'MAIL_FROM',
  'PUBLIC_URL',
  'SECRETS_KEY',
  'PRIVATE_ADDRESSES_ALLOWED',
  'GATEWAY_HOST',
  'GATEWAY_PORT',
  'GATEWAY_ROUTES',
  'GATEWAY_WORKERS',
  'MANAGEMENT_HOST',
  'MANAGEMENT_PORT',
  'DOCS_ENABLED',
  'CONSOLE_ENABLED',
  'CORS_ORIGINS',
  'TRUSTED_PROXIES',
  'CONNECTIONS_MAX',
  'REQUESTS_MAX',
  'BODY_BYTES_MAX',
  'HEADERS_TIMEOUT_MS',
  'REQUEST_TIMEOUT_MS',
  'RESPONSE_TIMEOUT_MS',
  'STREAMS_MAX',
  'RATE_LIMIT_POINTS',
  'RATE_LIMIT_WINDOW_SECONDS',
  'AGENT_RATE_LIMIT_POINTS',
  'DECISIONS_TOPIC',
  'EVALUATIONS_TOPIC',
  'PRODUCE_DEADLINE_MS',
  'PRODUCE_LINGER_MS',
  'IN_FLIGHT_BYTES_MAX',
  'SHUTDOWN_DEADLINE_MS',
  'SHUTDOWN_UNREADY_MS',
  'LOG_LEVEL'
] as const

/** Settings that only the ingest routes need. */
const kafkaNames = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL'] as const
/** Settings that only the API routes need. */
const sessionNames = ['SESSION_SIGNING_KEY'] as const

type CommonName = (typeof names)[number]
type OptionalName = (typeof kafkaNames)[number] | (typeof sessionNames)[number]

/** Settings that the routes of this process do not need are null and are not read. */
export type GatewayConfig = Config<CommonName> &
  Readonly<{ [Name in OptionalName]: Config<Name>[Name] | null }>

export function readGatewayConfig(environment: Environment): GatewayConfig {
  const routes = routesOf(environment)
  const log = routes === 'api' ? [] : kafkaNames
  const session = routes === 'ingest' ? [] : sessionNames
  const config = readConfig(environment, [...log, ...session, ...names])
  const absent = { KAFKA_BROKERS: null, SCHEMA_REGISTRY_URL: null, SESSION_SIGNING_KEY: null }
  return Object.freeze({ ...absent, ...config })
}

/**
 * Reads GATEWAY_ROUTES. An invalid value is reported later, together with all other invalid
 * settings.
 */
function routesOf(environment: Environment): Config<'GATEWAY_ROUTES'>['GATEWAY_ROUTES'] {
  try {
    return readConfig(environment, ['GATEWAY_ROUTES']).GATEWAY_ROUTES
  } catch {
    return 'all'
  }
}
