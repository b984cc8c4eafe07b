/** Adds notes on settings to docs/reference/settings.md. */
import type { SettingName } from '../../platform/config/config.ts'

/** First setting of each section. Settings are listed in the order of the settings table. */
export const settingSections: Readonly<Record<string, SettingName>> = {
  Kafka: 'KAFKA_BROKERS',
  'Schema registry, Redis and Postgres': 'SCHEMA_REGISTRY_URL',
  'Accounts, secrets and email': 'API_KEY_PEPPER',
  'Judges and webhooks': 'SECRETS_KEY',
  'Gateway and management port': 'GATEWAY_HOST',
  'Limits of a gateway': 'CONNECTIONS_MAX',
  'Rate limits': 'RATE_LIMIT_POINTS',
  'Topics and consumer groups': 'DECISIONS_TOPIC',
  'Writing and reading topics': 'PRODUCE_DEADLINE_MS',
  Retention: 'DECISIONS_RETENTION_DAYS',
  Audits: 'AUDIT_INTERVAL_SECONDS',
  'First organization': 'BOOTSTRAP_ORGANIZATION',
  'Shutdown and logging': 'SHUTDOWN_DEADLINE_MS'
}

const operations = '../guides/operations'
const caNote = "They replace Node's built-in CA certificates for this connection."

export const settingNotes: Readonly<Partial<Record<SettingName, string>>> = {
  KAFKA_TLS_CA: caNote,
  KAFKA_TLS_CERT: 'Include the whole certificate chain.',
  KAFKA_TLS_KEY: 'It must not have a passphrase.',
  SCHEMA_REGISTRY_URL:
    'Example: `http://registry:8080/apis/ccompat/v7`. It may contain a user name and password.',
  SCHEMA_REGISTRY_TLS_CA: caNote,
  REDIS_URL:
    'Gateways also use it to notify each other of changed API keys. Use `rediss:` to encrypt ' +
    'connections.',
  REDIS_TLS_CA: caNote,
  DATABASE_URL:
    'Add `?sslmode=verify-full` to encrypt connections; see [the other ' +
    `modes](${operations}/security.md#encrypt-connections).`,
  DATABASE_TLS_CA: caNote,
  API_KEY_PEPPER: 'If it changes, every API key becomes invalid.',
  SESSION_SIGNING_KEY:
    'Set the same key for all gateways. If you replace it, access tokens become invalid and ' +
    'clients must refresh them; to avoid this, [rotate ' +
    `it](${operations}/security.md#rotate-the-session-signing-key). Not read with ` +
    '`GATEWAY_ROUTES=ingest`.',
  SESSION_VERIFICATION_KEYS:
    'List one key after another. You need them to [rotate the signing ' +
    `key](${operations}/security.md#rotate-the-session-signing-key).`,
  REGISTRATION:
    '`open`: anyone; requires `MAIL_URL`, because each registration is [confirmed by ' +
    'email](../guides/accounts.md#register). `invite`: no one, but invited users can join ' +
    'the organization that invited them. `closed`: no one; invited users can join only if they ' +
    'already have an account.',
  MAIL_URL:
    'Examples: `smtp://user:password@host:587`, and `file:///folder`, which receives each email ' +
    'as a file. Without this setting, no email is sent, and passwords cannot be reset by email.',
  PUBLIC_URL: 'It appears in emails, with links to the console, and in code snippets.',
  SECRETS_KEY:
    'Set the same value for gateways and evaluation. Without it, neither provider keys nor ' +
    'webhooks can be saved.',
  PRIVATE_ADDRESSES_ALLOWED:
    'Also allows plain HTTP. Set it only if every user of the API may reach your network. Each ' +
    'process that starts with it logs a warning.',
  GATEWAY_ROUTES:
    '`ingest`: the routes that begin with `/v1/ingest`; `api`: all other routes. With `api`, ' +
    '`KAFKA_BROKERS` and `SCHEMA_REGISTRY_URL` are not read. See [Separate sending from ' +
    'reading](limits.md#separate-sending-from-reading).',
  GATEWAY_WORKERS:
    '`auto`: one worker per core. `1`: a single process. See [Use several ' +
    `cores](${operations}/deploy.md#use-several-cores).`,
  MANAGEMENT_HOST:
    'The port requires no login. Set `0.0.0.0` if probes or Prometheus run on other ' +
    'machines. The image, the chart and Compose set it.',
  CORS_ORIGINS: 'Example: `https://console.example.com`. Cookies are never allowed.',
  TRUSTED_PROXIES:
    'Example: `10.0.0.0/8,192.0.2.7`. On connections from these proxies, the client is ' +
    'the last address in `X-Forwarded-For` that is not a trusted proxy. On other ' +
    'connections, the header is ignored. Set it if the gateway is [behind a ' +
    `proxy](${operations}/deploy.md#run-a-gateway-behind-a-proxy).`,
  CONNECTIONS_MAX: 'Shortly before the limit, the gateway starts to close idle connections.',
  REQUESTS_MAX: 'Requests that wait in the queue are included.',
  BODY_BYTES_MAX:
    'Decompressed bytes are included. One organization may use up to a quarter of the maximum.',
  HEADERS_TIMEOUT_MS: 'A slower client gets 408, and its connection is closed.',
  RATE_LIMIT_POINTS: 'An organization can have its own limit instead.',
  RATE_LIMIT_WINDOW_SECONDS: 'Applies to all rate limits.',
  PRODUCE_DEADLINE_MS: 'A short deadline causes duplicates when the broker is slow.',
  PRODUCE_LINGER_MS:
    'Records that arrive within this time share a request to the broker. One request costs about ' +
    'as much as 30 records.',
  IN_FLIGHT_BYTES_MAX: 'The limit applies to each worker.',
  DEAD_LETTERS_MAX: `See [Paused partitions](${operations}/dead-letters.md#paused-partitions).`,
  DECISIONS_RETENTION_DAYS:
    'Decisions are deleted one UTC day at a time, with everything that belongs to them. ' +
    `See [Retention](${operations}/retention-and-erasure.md#retention).`,
  BOOTSTRAP_ORGANIZATION:
    '`sluice bootstrap` uses this setting and the next two for options that are omitted.',
  BOOTSTRAP_API_KEY: 'With it, you can configure agents before the installation exists.'
}
