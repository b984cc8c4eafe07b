/** What no setting can say alone: which of them contradict each other, and which are unwise. */
import { isKeyOf } from './pem-setting.ts'
import { sslModeOf } from '../postgres/postgres-tls.ts'

/** Those that rules look at. What a process does not read, or could not read, is missing. */
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

/** Every contradiction, each as a sentence that begins with a setting. */
export function contradictionsOf(values: RuleValues): string[] {
  return rules.flatMap((rule) => rule(values)).filter((found) => found !== false)
}

/** What is allowed and probably not meant. */
export function cautionsOf(values: RuleValues): string[] {
  const { KAFKA_TLS, KAFKA_SASL_MECHANISM, DATABASE_URL, SCHEMA_REGISTRY_URL: registry } = values
  return [
    KAFKA_TLS === false &&
      KAFKA_SASL_MECHANISM === 'plain' &&
      'KAFKA_SASL_MECHANISM=plain without KAFKA_TLS sends the password readable to everybody',
    DATABASE_URL !== undefined &&
      sslModeOf(DATABASE_URL) === 'no-verify' &&
      'DATABASE_URL has sslmode=no-verify: whoever answers is taken for Postgres',
    hasPassword(registry) &&
      protocolOf(registry) === 'http:' &&
      'SCHEMA_REGISTRY_URL has a password and no TLS: everybody can read it',
    values.PRIVATE_ADDRESSES_ALLOWED === true &&
      'PRIVATE_ADDRESSES_ALLOWED=true: judges and webhooks of every user reach private addresses'
  ].filter((found) => found !== false)
}

function kafkaTls(values: RuleValues) {
  const { KAFKA_TLS, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = values
  const details: Name[] = ['KAFKA_TLS_CA', 'KAFKA_TLS_CERT', 'KAFKA_TLS_KEY']
  const idle = KAFKA_TLS === false ? details.filter((name) => isGiven(values, name)) : []
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
    if (mechanism === 'none') return isGiven(values, name) && `${name} is set, ${noMechanism}`
    return isMissing(values, name) && `${name} is not set; KAFKA_SASL_MECHANISM needs it`
  })
}

const noMechanism = 'but KAFKA_SASL_MECHANISM is none'

/** An authority for a connection that is not encrypted is a mistake in one of the two. */
function httpAndRedisTls(values: RuleValues) {
  const { REDIS_URL, SCHEMA_REGISTRY_URL } = values
  return [
    isGiven(values, 'REDIS_TLS_CA') &&
      protocolOf(REDIS_URL) === 'redis:' &&
      'REDIS_TLS_CA is set, but REDIS_URL does not begin with rediss://',
    isGiven(values, 'SCHEMA_REGISTRY_TLS_CA') &&
      protocolOf(SCHEMA_REGISTRY_URL) === 'http:' &&
      'SCHEMA_REGISTRY_TLS_CA is set, but SCHEMA_REGISTRY_URL does not begin with https://'
  ]
}

function postgresTls(values: RuleValues) {
  const { DATABASE_URL } = values
  const mode = DATABASE_URL === undefined ? undefined : sslModeOf(DATABASE_URL)
  return [
    isGiven(values, 'DATABASE_TLS_CA') &&
      (mode === 'disable' || mode === 'no-verify') &&
      'DATABASE_TLS_CA is set, but DATABASE_URL has no sslmode that verifies (verify-full)',
    isMissing(values, 'DATABASE_TLS_CA') &&
      mode === 'verify-ca' &&
      'DATABASE_TLS_CA is not set; sslmode=verify-ca needs it, or else any host would do'
  ]
}

/** An open registration is finished with a token that only an email brings. */
function registration(values: RuleValues) {
  const { REGISTRATION, GATEWAY_ROUTES } = values
  return [
    REGISTRATION === 'open' &&
      GATEWAY_ROUTES !== 'ingest' &&
      isMissing(values, 'MAIL_URL') &&
      'MAIL_URL is not set; REGISTRATION=open needs it to send the token of each registration'
  ]
}

function names(values: RuleValues) {
  const { GATEWAY_PORT, MANAGEMENT_PORT, GATEWAY_HOST, MANAGEMENT_HOST } = values
  const [topics, groups] = [
    isSame(values.DECISIONS_TOPIC, values.EVALUATIONS_TOPIC),
    isSame(values.STORAGE_GROUP_ID, values.EVALUATION_GROUP_ID)
  ]
  return [
    topics && 'EVALUATIONS_TOPIC is the same as DECISIONS_TOPIC; each needs its own',
    groups && 'EVALUATION_GROUP_ID is the same as STORAGE_GROUP_ID; each needs its own',
    GATEWAY_PORT !== 0 &&
      isSame(GATEWAY_PORT, MANAGEMENT_PORT) &&
      overlap(GATEWAY_HOST, MANAGEMENT_HOST) &&
      'MANAGEMENT_PORT is the same as GATEWAY_PORT; each needs its own'
  ]
}

function times(values: RuleValues) {
  const { PRODUCE_DEADLINE_MS: produce, PRODUCE_LINGER_MS: linger } = values
  const { SHUTDOWN_DEADLINE_MS: stop, SHUTDOWN_UNREADY_MS: unready } = values
  return [
    produce !== undefined &&
      linger !== undefined &&
      linger >= produce &&
      `PRODUCE_LINGER_MS is ${linger}, not less than PRODUCE_DEADLINE_MS, ${produce}`,
    produce !== undefined &&
      stop !== undefined &&
      stop < produce + (unready ?? 0) &&
      `SHUTDOWN_DEADLINE_MS is ${stop}, less than SHUTDOWN_UNREADY_MS and PRODUCE_DEADLINE_MS ` +
        `together, ${produce + (unready ?? 0)}: a stop would break what waits for the log`
  ]
}

function together(values: RuleValues, one: Name, other: Name) {
  return [
    isGiven(values, one) && isMissing(values, other) && `${other} is not set; ${one} needs it`,
    isGiven(values, other) && isMissing(values, one) && `${one} is not set; ${other} needs it`
  ]
}

function isGiven(values: RuleValues, name: Name): boolean {
  return values[name] !== undefined && values[name] !== null
}

/** Read, and found to be nothing; what was not read is not missing. */
function isMissing(values: RuleValues, name: Name): boolean {
  return values[name] === null
}

/** Listening on a wildcard address takes the port of every address. */
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
