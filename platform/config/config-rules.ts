/** Validates combinations of settings: finds contradictory and unwise values. */
import { isKeyOf } from './pem-setting.ts'
import { sslModeOf } from '../postgres/postgres-tls.ts'

/**
 * Settings that the rules check. A setting is absent if the process does not use it or failed to
 * parse it.
 */
export type RuleValues = Partial<{
  readonly KAFKA_TLS: boolean
  readonly KAFKA_TLS_CA: string | null
  readonly KAFKA_TLS_CERT: string | null
  readonly KAFKA_TLS_KEY: string | null
  readonly KAFKA_SASL_MECHANISM: string
  readonly KAFKA_SASL_USERNAME: string | null
  readonly KAFKA_SASL_PASSWORD: string | null
  readonly SCHEMA_REGISTRY_URL: string | null
  readonly SCHEMA_REGISTRY_TLS_CA: string | null
  readonly REDIS_URL: string
  readonly REDIS_TLS_CA: string | null
  readonly DATABASE_URL: string
  readonly DATABASE_TLS_CA: string | null
  readonly PRIVATE_ADDRESSES_ALLOWED: boolean
  readonly REGISTRATION: string
  readonly MAIL_URL: string | null
  readonly GATEWAY_ROUTES: string
  readonly GATEWAY_HOST: string
  readonly GATEWAY_PORT: number
  readonly MANAGEMENT_HOST: string
  readonly MANAGEMENT_PORT: number
  readonly DECISIONS_TOPIC: string
  readonly EVALUATIONS_TOPIC: string
  readonly STORAGE_GROUP_ID: string
  readonly EVALUATION_GROUP_ID: string
  readonly PRODUCE_DEADLINE_MS: number
  readonly PRODUCE_LINGER_MS: number
  readonly SHUTDOWN_DEADLINE_MS: number
  readonly SHUTDOWN_UNREADY_MS: number
}>

type Name = keyof RuleValues
type Rule = (values: RuleValues) => readonly (string | false)[]

const rules: readonly Rule[] = [
  kafkaTls,
  kafkaSasl,
  httpAndRedisTls,
  postgresTls,
  registration,
  names,
  times
]

/** Returns each contradiction as a sentence that starts with a setting name. */
export function contradictionsOf(values: RuleValues): string[] {
  return rules.flatMap((rule) => rule(values)).filter((found) => found !== false)
}

/** Returns warnings about values that are valid but probably unintended. */
export function cautionsOf(values: RuleValues): string[] {
  const { KAFKA_TLS, KAFKA_SASL_MECHANISM, DATABASE_URL, SCHEMA_REGISTRY_URL: registry } = values
  return [
    KAFKA_TLS === false &&
      KAFKA_SASL_MECHANISM === 'plain' &&
      'KAFKA_SASL_MECHANISM=plain without KAFKA_TLS sends the password in plain text',
    DATABASE_URL !== undefined &&
      sslModeOf(DATABASE_URL) === 'no-verify' &&
      'DATABASE_URL has sslmode=no-verify: the identity of the server is not verified',
    hasPassword(registry) &&
      protocolOf(registry) === 'http:' &&
      'SCHEMA_REGISTRY_URL has a password but no TLS: the password is sent in plain text',
    values.PRIVATE_ADDRESSES_ALLOWED === true &&
      'PRIVATE_ADDRESSES_ALLOWED=true: judges and webhooks of all users can reach private ' +
        'addresses'
  ].filter((found) => found !== false)
}

function kafkaTls(values: RuleValues) {
  const { KAFKA_TLS, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = values
  const details: Name[] = ['KAFKA_TLS_CA', 'KAFKA_TLS_CERT', 'KAFKA_TLS_KEY']
  const idle = KAFKA_TLS === false ? details.filter((name) => isSet(values, name)) : []
  return [
    ...idle.map((name) => `${name} is set, but KAFKA_TLS is not true`),
    ...together(values, 'KAFKA_TLS_CERT', 'KAFKA_TLS_KEY'),
    typeof cert === 'string' &&
      typeof key === 'string' &&
      !isKeyOf(cert, key) &&
      'KAFKA_TLS_KEY is not the key of the certificate in KAFKA_TLS_CERT'
  ]
}

function kafkaSasl(values: RuleValues) {
  const { KAFKA_SASL_MECHANISM: mechanism } = values
  if (mechanism === undefined) return []
  const needed: Name[] = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD']
  return needed.map((name) => {
    if (mechanism === 'none') return isSet(values, name) && `${name} is set, ${noMechanism}`
    return isMissing(values, name) && `${name} is not set; KAFKA_SASL_MECHANISM requires it`
  })
}

const noMechanism = 'but KAFKA_SASL_MECHANISM is none'

/**
 * Reports CA certificates that are set for an unencrypted connection. Either the certificates or
 * the URL must be wrong.
 */
function httpAndRedisTls(values: RuleValues) {
  const { REDIS_URL, SCHEMA_REGISTRY_URL } = values
  return [
    isSet(values, 'REDIS_TLS_CA') &&
      protocolOf(REDIS_URL) === 'redis:' &&
      'REDIS_TLS_CA is set, but REDIS_URL does not begin with rediss://',
    isSet(values, 'SCHEMA_REGISTRY_TLS_CA') &&
      protocolOf(SCHEMA_REGISTRY_URL) === 'http:' &&
      'SCHEMA_REGISTRY_TLS_CA is set, but SCHEMA_REGISTRY_URL does not begin with https://'
  ]
}

function postgresTls(values: RuleValues) {
  const { DATABASE_URL } = values
  const mode = DATABASE_URL === undefined ? undefined : sslModeOf(DATABASE_URL)
  return [
    isSet(values, 'DATABASE_TLS_CA') &&
      (mode === 'disable' || mode === 'no-verify') &&
      'DATABASE_TLS_CA is set, but the sslmode of DATABASE_URL does not verify; use verify-full',
    isMissing(values, 'DATABASE_TLS_CA') &&
      mode === 'verify-ca' &&
      'DATABASE_TLS_CA is not set; sslmode=verify-ca requires it, or any host would be accepted'
  ]
}

/**
 * Reports open registration without a mail server. Users complete their registration with a token
 * sent by email.
 */
function registration(values: RuleValues) {
  const { REGISTRATION, GATEWAY_ROUTES } = values
  return [
    REGISTRATION === 'open' &&
      GATEWAY_ROUTES !== 'ingest' &&
      isMissing(values, 'MAIL_URL') &&
      'MAIL_URL is not set; REGISTRATION=open requires it to email the token of each registration'
  ]
}

function names(values: RuleValues) {
  const { GATEWAY_PORT, MANAGEMENT_PORT, GATEWAY_HOST, MANAGEMENT_HOST } = values
  const [topics, groups] = [
    isSame(values.DECISIONS_TOPIC, values.EVALUATIONS_TOPIC),
    isSame(values.STORAGE_GROUP_ID, values.EVALUATION_GROUP_ID)
  ]
  return [
    topics && 'EVALUATIONS_TOPIC is the same as DECISIONS_TOPIC; they must differ',
    groups && 'EVALUATION_GROUP_ID is the same as STORAGE_GROUP_ID; they must differ',
    GATEWAY_PORT !== 0 &&
      isSame(GATEWAY_PORT, MANAGEMENT_PORT) &&
      overlap(GATEWAY_HOST, MANAGEMENT_HOST) &&
      'MANAGEMENT_PORT is the same as GATEWAY_PORT; they must differ'
  ]
}

function times(values: RuleValues) {
  const { PRODUCE_DEADLINE_MS: produce, PRODUCE_LINGER_MS: linger } = values
  const { SHUTDOWN_DEADLINE_MS: stop, SHUTDOWN_UNREADY_MS: unready } = values
  return [
    produce !== undefined &&
      linger !== undefined &&
      linger >= produce &&
      `PRODUCE_LINGER_MS is ${linger}; it must be less than PRODUCE_DEADLINE_MS, ${produce}`,
    produce !== undefined &&
      stop !== undefined &&
      stop < produce + (unready ?? 0) &&
      `SHUTDOWN_DEADLINE_MS is ${stop}; it must be at least ${produce + (unready ?? 0)}, ` +
        'the sum of SHUTDOWN_UNREADY_MS and PRODUCE_DEADLINE_MS, so that pending writes to ' +
        'Kafka can finish'
  ]
}

function together(values: RuleValues, one: Name, other: Name) {
  return [
    isSet(values, one) && isMissing(values, other) && `${other} is not set; ${one} requires it`,
    isSet(values, other) && isMissing(values, one) && `${one} is not set; ${other} requires it`
  ]
}

function isSet(values: RuleValues, name: Name): boolean {
  return values[name] !== undefined && values[name] !== null
}

/** Checks whether the process uses the setting but has no value for it. */
function isMissing(values: RuleValues, name: Name): boolean {
  return values[name] === null
}

/** Checks whether two listen addresses overlap. A wildcard address overlaps with every address. */
function overlap(one: string | undefined, other: string | undefined): boolean {
  const isWildcard = (host: string | undefined) => host === '0.0.0.0' || host === '::'
  return isSame(one, other) || isWildcard(one) || isWildcard(other)
}

function isSame(one: string | number | undefined, other: string | number | undefined): boolean {
  return one !== undefined && one === other
}

function protocolOf(url: string | null | undefined): string | undefined {
  return URL.parse(url ?? '')?.protocol
}

function hasPassword(url: string | null | undefined): boolean {
  return (URL.parse(url ?? '')?.password ?? '') !== ''
}
