/** Configuration: reads settings from the environment once, validates them and freezes the result.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { getSystemErrorMessage } from 'node:util'
import { contradictionsOf } from './config-rules.ts'
import { certificates, privateKey, publicKeys, signingKey } from './pem-setting.ts'
import { sslModeOf } from '../postgres/postgres-tls.ts'
import { flag, integer, integerOrAuto, list, mailUrl, oneOf, optional } from './setting.ts'
import { networks, origins, secret, text, InvalidSettingError, url } from './setting.ts'
import type { Setting } from './setting.ts'

const mebibyte = 1024 * 1024

/** All settings. `npm run docs` generates `docs/reference/settings.md` from this table. */
export const settings = {
  KAFKA_BROKERS: list('Comma-separated Kafka bootstrap brokers, each `host:port`.'),
  KAFKA_TLS: flag('Encrypt connections to Kafka and verify the brokers.', false),
  KAFKA_TLS_CA: certificates('CA certificates (PEM) for Kafka.'),
  KAFKA_TLS_CERT: certificates('Client certificate (PEM) for mutual TLS with Kafka.'),
  KAFKA_TLS_KEY: privateKey('Private key (PEM) for KAFKA_TLS_CERT.'),
  KAFKA_SASL_MECHANISM: oneOf('SASL mechanism for Kafka.', 'none', [
    'none',
    'plain',
    'scram-sha-256',
    'scram-sha-512'
  ]),
  KAFKA_SASL_USERNAME: optional(text('SASL username for Kafka.', '')),
  KAFKA_SASL_PASSWORD: optional(secret('SASL password for Kafka.', 1)),
  SCHEMA_REGISTRY_URL: url('URL of the schema registry (Confluent API).', ['http:', 'https:']),
  SCHEMA_REGISTRY_TLS_CA: certificates('CA certificates (PEM) for the schema registry.'),
  REDIS_URL: url('URL of Redis, which stores the rate-limit counters.', ['redis:', 'rediss:']),
  REDIS_TLS_CA: certificates('CA certificates (PEM) for Redis.'),
  DATABASE_URL: postgresUrl('URL of Postgres.'),
  DATABASE_TLS_CA: certificates('CA certificates (PEM) for Postgres.'),
  API_KEY_PEPPER: secret('Secret for hashing API keys; at least 32 characters.', 32),
  SESSION_SIGNING_KEY: signingKey('P-256 private key (PEM) that signs sessions.'),
  SESSION_VERIFICATION_KEYS: publicKeys('Additional public keys (PEM) for verifying sessions.'),
  REGISTRATION: oneOf('Who may register an organization.', 'invite', ['open', 'invite', 'closed']),
  MAIL_URL: optional(mailUrl('Mail server that sends emails, or a folder to write them to.')),
  MAIL_FROM: text('Sender of emails.', 'Sluice <sluice@localhost>'),
  PUBLIC_URL: optional(url('Public base URL of this API.', ['http:', 'https:'])),
  SECRETS_KEY: optional(
    secret('Secret for encrypting provider keys and webhook secrets; at least 32 characters.', 32)
  ),
  PRIVATE_ADDRESSES_ALLOWED: flag('Allow judges and webhooks at private addresses.', false),
  JUDGE_CALLS_MAX: integer(
    'Maximum concurrent judge calls per process; 0 leaves them to other processes.',
    16,
    [0, 1000]
  ),
  GATEWAY_HOST: text('Address the gateway listens on.', '0.0.0.0'),
  GATEWAY_PORT: integer('Port the gateway listens on; 0 picks a free one.', 8080, [0, 65535]),
  GATEWAY_ROUTES: oneOf('Routes that this process serves.', 'all', ['ingest', 'api', 'all']),
  GATEWAY_WORKERS: integerOrAuto('Number of processes that share the gateway port.', 1, {
    range: [1, 128],
    auto: availableParallelism
  }),
  MANAGEMENT_HOST: text('Address of /livez, /readyz and /metrics.', '127.0.0.1'),
  MANAGEMENT_PORT: integer('Port of /livez, /readyz and /metrics.', 9464, [0, 65535]),
  DOCS_ENABLED: flag('Serve /docs and /openapi.json.', false),
  CONSOLE_ENABLED: flag('Serve the web console at /console/, next to the API.', true),
  CORS_ORIGINS: origins('Comma-separated origins from which browsers may call the API.'),
  TRUSTED_PROXIES: networks(
    'Comma-separated addresses and networks of proxies whose X-Forwarded-For is trusted.'
  ),
  CONNECTIONS_MAX: integer(
    'Maximum open connections to the gateway; further ones are closed.',
    10_000,
    [10, 1_000_000]
  ),
  REQUESTS_MAX: integer(
    'Maximum requests in progress; further requests get 503.',
    4096,
    [1, 1_000_000]
  ),
  BODY_BYTES_MAX: integer(
    'Maximum bytes of request bodies in memory; further requests get 503.',
    256 * mebibyte,
    [32 * mebibyte, 4096 * mebibyte]
  ),
  HEADERS_TIMEOUT_MS: integer(
    'Maximum time to receive the headers of a request.',
    10_000,
    [100, 120_000]
  ),
  REQUEST_TIMEOUT_MS: integer('Maximum time to receive a whole request.', 30_000, [100, 600_000]),
  RESPONSE_TIMEOUT_MS: integer(
    'Maximum time for a client to read a response.',
    30_000,
    [100, 600_000]
  ),
  STREAMS_MAX: integer(
    'Maximum concurrent live tails and exports; further requests get 503.',
    1000,
    [0, 100_000]
  ),
  RATE_LIMIT_POINTS: integer(
    'Decisions that an organization may send per window.',
    10_000,
    [1, 1e9]
  ),
  RATE_LIMIT_WINDOW_SECONDS: integer('Length of the rate-limit window.', 60, [1, 86_400]),
  AGENT_RATE_LIMIT_POINTS: integer(
    'Decisions that one agent may send per window; 0 means no limit.',
    0,
    [0, 1e9]
  ),
  DECISIONS_TOPIC: text('Kafka topic of accepted decisions.', 'agent-decisions'),
  EVALUATIONS_TOPIC: text('Kafka topic of evaluations.', 'decision-evaluations'),
  STORAGE_GROUP_ID: text(
    'Consumer group that stores decisions. The group that stores evaluations has the same name ' +
      'with `-evaluations` appended.',
    'sluice-storage'
  ),
  EVALUATION_GROUP_ID: text('Consumer group that evaluates decisions.', 'sluice-evaluation'),
  PRODUCE_DEADLINE_MS: integer(
    'Maximum time that a request waits for Kafka before it gets 503.',
    10_000,
    [100, 60_000]
  ),
  PRODUCE_LINGER_MS: integer('Maximum time that a record waits to be batched.', 5, [0, 100]),
  IN_FLIGHT_BYTES_MAX: integer(
    'Maximum encoded bytes waiting for Kafka; further requests get 503.',
    64 * mebibyte,
    [8 * mebibyte, 4096 * mebibyte]
  ),
  CONSUMER_BATCH_BYTES_MAX: integer(
    'Maximum bytes a consumer fetches from one partition at a time.',
    4 * mebibyte,
    [mebibyte, 64 * mebibyte]
  ),
  CONSUMER_SESSION_TIMEOUT_MS: integer(
    'Time without heartbeats after which a consumer loses its partitions.',
    30_000,
    [6000, 300_000]
  ),
  DEAD_LETTERS_MAX: integer(
    'Number of dead-letter records, within twice as many messages, at which a partition is ' +
      'paused; 0 means no limit.',
    100,
    [0, 100_000]
  ),
  DECISIONS_RETENTION_DAYS: optional(
    integer('Number of days that Postgres keeps decisions; by default, forever.', 0, [1, 36_500])
  ),
  AUDIT_INTERVAL_SECONDS: integer(
    'Interval between audits by storage, which produce the ledger; 0 turns them off.',
    300,
    [0, 86_400]
  ),
  AUDIT_WINDOW_SECONDS: integer(
    'Minimum length of the time window of an audit by storage. It begins at a full hour.',
    21_600,
    [3600, 604_800]
  ),
  AUDIT_BYTES_MAX: integer(
    'Maximum bytes that an audit by storage reads per topic; a larger window is shortened.',
    256 * mebibyte,
    [16 * mebibyte, 65_536 * mebibyte]
  ),
  BOOTSTRAP_ORGANIZATION: optional(text('Name of the first organization.', '')),
  BOOTSTRAP_EMAIL: optional(text('Email of the owner of the first organization.', '')),
  BOOTSTRAP_PASSWORD: optional(secret('Password of that owner.', 8)),
  BOOTSTRAP_API_KEY: optional(secret('First API key of that organization (the whole key).', 1)),
  SHUTDOWN_DEADLINE_MS: integer('Maximum time of a graceful shutdown.', 25_000, [1000, 300_000]),
  SHUTDOWN_UNREADY_MS: integer(
    'Time for which a stopping gateway still accepts requests, so that load balancers can react.',
    1000,
    [0, 60_000]
  ),
  LOG_LEVEL: oneOf('Minimum level of log messages.', 'info', [
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'silent'
  ])
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config<Names extends SettingName> = Readonly<{
  [Name in Names]: ReturnType<(typeof settings)[Name]['parse']>
}>

export type Environment = Readonly<Record<string, string | undefined>>

/** Lists all configuration errors, so that an operator can fix them in one step. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(found: readonly string[]) {
    const lines = found.map((line) => `  - ${line}`)
    super(`The configuration has ${found.length} problem(s):\n${lines.join('\n')}`)
  }
}

/**
 * Reads the named settings from `environment`. A setting `NAME` can also be read from the file
 * named in `NAME_FILE`, for example a mounted secret.
 * @throws {ConfigError} with one line for each missing or invalid setting and for each
 * contradiction
 */
export function readConfig<Name extends SettingName>(
  environment: Environment,
  names: readonly Name[]
): Config<Name> {
  const found: string[] = []
  const read = names.flatMap((name) => {
    try {
      return [[name, readSetting(environment, name)]]
    } catch (error) {
      found.push(`${name} ${(error as Error).message}`)
      return []
    }
  })
  const config = Object.fromEntries(read) as Config<Name>
  found.push(...contradictionsOf(config))
  if (found.length > 0) throw new ConfigError(found)
  return Object.freeze(config)
}

function readSetting(environment: Environment, name: SettingName): unknown {
  const setting: Setting<unknown> = settings[name]
  const file = environment[`${name}_FILE`]
  // Treats an empty value as unset, because Compose files pass unset variables as empty strings.
  const isInFile = file !== undefined && file !== ''
  const raw = isInFile ? readFile(environment, name, file) : environment[name]
  if (raw !== undefined && raw !== '') {
    return isInFile ? parseFile(setting, raw, file) : setting.parse(raw)
  }
  if (setting.default !== undefined) return setting.default
  throw new Error(`is not set. ${setting.description}`)
}

function readFile(environment: Environment, name: string, path: string): string {
  if (environment[name]) throw new Error(`is set, but ${name}_FILE is set as well; keep one`)
  try {
    return readFileSync(path, 'utf8').trimEnd()
  } catch (error) {
    const why = getSystemErrorMessage((error as NodeJS.ErrnoException).errno ?? 0)
    throw new Error(`cannot be read from ${path}, the file in ${name}_FILE: ${why}`)
  }
}

/**
 * Parses a setting that was read from a file. Errors omit the content, because a wrong path can
 * point to any file.
 */
function parseFile(setting: Setting<unknown>, raw: string, path: string): unknown {
  try {
    return setting.parse(raw)
  } catch (error) {
    const reason = error instanceof InvalidSettingError ? error.expected : (error as Error).message
    throw new Error(`in ${path}: ${reason}`)
  }
}

function postgresUrl(description: string): Setting<string> {
  const setting = url(description, ['postgres:', 'postgresql:'])
  const parse = (value: string): string => {
    sslModeOf(setting.parse(value))
    return value
  }
  return { ...setting, parse }
}
