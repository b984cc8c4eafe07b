/** The environment, read once: every setting in one table, checked whole, frozen. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { getSystemErrorMessage } from 'node:util'
import { contradictionsOf } from './config-rules.ts'
import { certificates, privateKey, publicKeys, signingKey } from './pem-setting.ts'
import { sslModeOf } from '../postgres/postgres-tls.ts'
import { flag, integer, integerOrAuto, list, mailUrl, oneOf, optional } from './setting.ts'
import { networks, origins, secret, text, UnfitError, url } from './setting.ts'
import type { Setting } from './setting.ts'

const mebibyte = 1024 * 1024

/** Every setting there is; `docs/configuration.md` is held against this table by a test. */
export const settings = {
  KAFKA_BROKERS: list('Kafka bootstrap brokers, `host:port`, separated by commas.'),
  KAFKA_TLS: flag('Encrypt connections to Kafka, and verify the brokers.', false),
  KAFKA_TLS_CA: certificates('Authorities to trust for Kafka, instead of those of Node.'),
  KAFKA_TLS_CERT: certificates('Certificate to show to Kafka, for mutual TLS.'),
  KAFKA_TLS_KEY: privateKey('Private key of that certificate.'),
  KAFKA_SASL_MECHANISM: oneOf('How to log in to Kafka.', 'none', [
    'none',
    'plain',
    'scram-sha-256',
    'scram-sha-512'
  ]),
  KAFKA_SASL_USERNAME: optional(text('Name to log in to Kafka with.', '')),
  KAFKA_SASL_PASSWORD: optional(secret('Password to log in to Kafka with.', 1)),
  SCHEMA_REGISTRY_URL: url('Schema registry with the Confluent API.', ['http:', 'https:']),
  SCHEMA_REGISTRY_TLS_CA: certificates('Authorities to trust for the schema registry.'),
  REDIS_URL: url('Redis, for rate limits.', ['redis:', 'rediss:']),
  REDIS_TLS_CA: certificates('Authorities to trust for Redis.'),
  DATABASE_URL: postgresUrl('Postgres.'),
  DATABASE_TLS_CA: certificates('Authorities to trust for Postgres.'),
  API_KEY_PEPPER: secret('Secret under which API keys are hashed; at least 32 characters.', 32),
  SESSION_SIGNING_KEY: signingKey('PEM of the P-256 private key that signs sessions.'),
  SESSION_VERIFICATION_KEYS: publicKeys('Earlier keys whose sessions are still taken, as PEM.'),
  REGISTRATION: oneOf('Who may register an organization.', 'invite', ['open', 'invite', 'closed']),
  MAIL_URL: optional(mailUrl('Where letters go: a mail server, or a folder.')),
  MAIL_FROM: text('Whom letters are from.', 'Sluice <sluice@localhost>'),
  PUBLIC_URL: optional(url('Where this API is reached from outside.', ['http:', 'https:'])),
  SECRETS_KEY: optional(
    secret(
      'Secret under which keys of providers and webhooks are kept; at least 32 characters.',
      32
    )
  ),
  PRIVATE_ADDRESSES_ALLOWED: flag('Judges and webhooks may be at private addresses.', false),
  JUDGE_CALLS_MAX: integer(
    'Judges a process waits for at once; 0 leaves them to others.',
    16,
    [0, 1000]
  ),
  GATEWAY_HOST: text('Address the gateway listens on.', '0.0.0.0'),
  GATEWAY_PORT: integer('Port the gateway listens on; 0 picks a free one.', 8080, [0, 65535]),
  GATEWAY_ROUTES: oneOf('Which routes this process serves.', 'all', ['ingest', 'api', 'all']),
  GATEWAY_WORKERS: integerOrAuto('Processes that share the port of one gateway.', 1, {
    range: [1, 128],
    auto: availableParallelism
  }),
  MANAGEMENT_HOST: text('Address of /livez, /readyz and /metrics.', '127.0.0.1'),
  MANAGEMENT_PORT: integer('Port of /livez, /readyz and /metrics.', 9464, [0, 65535]),
  DOCS_ENABLED: flag('Serve /docs and /openapi.json.', false),
  CORS_ORIGINS: origins('Origins whose scripts may call, separated by commas; none without it.'),
  TRUSTED_PROXIES: networks(
    'Proxies whose X-Forwarded-For names the client: addresses and networks, separated by commas.'
  ),
  CONNECTIONS_MAX: integer(
    'Connections to the gateway; beyond them a new one is closed.',
    10_000,
    [10, 1_000_000]
  ),
  REQUESTS_MAX: integer(
    'Requests a gateway works on at once; beyond them the answer is 503.',
    4096,
    [1, 1_000_000]
  ),
  BODY_BYTES_MAX: integer(
    'Bytes of request bodies a gateway holds at once; beyond them the answer is 503.',
    256 * mebibyte,
    [32 * mebibyte, 4096 * mebibyte]
  ),
  HEADERS_TIMEOUT_MS: integer(
    'How long the headers of a request may take.',
    10_000,
    [100, 120_000]
  ),
  REQUEST_TIMEOUT_MS: integer(
    'How long all of a request may take to come.',
    30_000,
    [100, 600_000]
  ),
  RESPONSE_TIMEOUT_MS: integer(
    'How long a caller may take to read an answer.',
    30_000,
    [100, 600_000]
  ),
  STREAMS_MAX: integer(
    'Live tails and exports a gateway serves at once; beyond them the answer is 503.',
    1000,
    [0, 100_000]
  ),
  RATE_LIMIT_POINTS: integer('Decisions an organization may send in a window.', 10_000, [1, 1e9]),
  RATE_LIMIT_WINDOW_SECONDS: integer('Length of that window.', 60, [1, 86_400]),
  AGENT_RATE_LIMIT_POINTS: integer(
    'Decisions one agent may send in that window; 0 is no such limit.',
    0,
    [0, 1e9]
  ),
  DECISIONS_TOPIC: text('Topic of accepted decisions.', 'agent-decisions'),
  EVALUATIONS_TOPIC: text('Topic of evaluations.', 'decision-evaluations'),
  STORAGE_GROUP_ID: text(
    'Group that stores decisions. Another, with `-evaluations` added, stores evaluations.',
    'sluice-storage'
  ),
  EVALUATION_GROUP_ID: text('Consumer group that evaluates.', 'sluice-evaluation'),
  PRODUCE_DEADLINE_MS: integer(
    'How long a caller waits for the broker before 503.',
    10_000,
    [100, 60_000]
  ),
  PRODUCE_LINGER_MS: integer('How long a record waits for company.', 5, [0, 100]),
  IN_FLIGHT_BYTES_MAX: integer(
    'Encoded bytes that may wait for the broker; beyond them the answer is 503.',
    64 * mebibyte,
    [8 * mebibyte, 4096 * mebibyte]
  ),
  CONSUMER_BATCH_BYTES_MAX: integer(
    'Bytes a consumer fetches from one partition at a time.',
    4 * mebibyte,
    [mebibyte, 64 * mebibyte]
  ),
  CONSUMER_SESSION_TIMEOUT_MS: integer(
    'How long a group waits for a silent member before its partitions go to others.',
    30_000,
    [6000, 300_000]
  ),
  DEAD_LETTERS_FLOOD_MAX: integer(
    'Dead letters among twice as many messages that stop a partition; 0 never does.',
    100,
    [0, 100_000]
  ),
  DECISIONS_RETENTION_DAYS: optional(
    integer('Days that Postgres keeps decisions; for ever without it.', 0, [1, 36_500])
  ),
  BOOTSTRAP_ORGANIZATION: optional(text('Name of the first organization.', '')),
  BOOTSTRAP_EMAIL: optional(text('Login of its owner.', '')),
  BOOTSTRAP_PASSWORD: optional(secret('Password of that login.', 8)),
  BOOTSTRAP_API_KEY: optional(secret('Its first API key, whole.', 1)),
  SHUTDOWN_DEADLINE_MS: integer('How long an ordered stop may take.', 25_000, [1000, 300_000]),
  SHUTDOWN_UNREADY_MS: integer(
    'How long a gateway that stops still accepts, so that balancers notice.',
    1000,
    [0, 60_000]
  ),
  LOG_LEVEL: oneOf('Least severe log level written.', 'info', [
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

/** Lists everything that is wrong, so that an operator mends it in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(found: readonly string[]) {
    const lines = found.map((line) => `  - ${line}`)
    super(`The configuration has ${found.length} problem(s):\n${lines.join('\n')}`)
  }
}

/**
 * Reads the named settings from `environment`.
 * A setting `NAME` may also come from the file that `NAME_FILE` names, as mounted secrets do.
 * @throws {ConfigError} with one line for each missing or unusable setting, and for each
 * contradiction among those that can be read.
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
  // What is empty is not set: compose files pass variables on that way.
  const isInFile = file !== undefined && file !== ''
  const raw = isInFile ? readFile(environment, name, file) : environment[name]
  if (raw !== undefined && raw !== '') {
    return isInFile ? parseFile(setting, raw, file) : setting.parse(raw)
  }
  if (setting.default !== undefined) return setting.default
  throw new Error(`is not set. ${setting.description}`)
}

function readFile(environment: Environment, name: string, path: string): string {
  if (environment[name]) throw new Error(`is set, and so is ${name}_FILE; keep one`)
  try {
    return readFileSync(path, 'utf8').trimEnd()
  } catch (error) {
    const why = getSystemErrorMessage((error as NodeJS.ErrnoException).errno ?? 0)
    throw new Error(`cannot be read from ${path}, which ${name}_FILE names: ${why}`)
  }
}

/** A file named by mistake may hold anything, so its content is not repeated. */
function parseFile(setting: Setting<unknown>, raw: string, path: string): unknown {
  try {
    return setting.parse(raw)
  } catch (error) {
    const reason = error instanceof UnfitError ? error.expected : (error as Error).message
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
