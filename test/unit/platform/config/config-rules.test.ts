/** Tests that contradictory settings are found, and that settings that are not read are ignored. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { cautionsOf, contradictionsOf } from '../../../../platform/config/config-rules.ts'
import type { RuleValues } from '../../../../platform/config/config-rules.ts'
import { createAuthority } from '../../../support/certificates.ts'
import type { Issued } from '../../../support/certificates.ts'

let issued: Issued
let other: Issued

beforeAll(async () => {
  const authority = await createAuthority('authority')
  issued = await authority.issue('one')
  other = await authority.issue('other')
})

const fine: RuleValues = {
  KAFKA_TLS: false,
  KAFKA_TLS_CA: null,
  KAFKA_TLS_CERT: null,
  KAFKA_TLS_KEY: null,
  KAFKA_SASL_MECHANISM: 'none',
  KAFKA_SASL_USERNAME: null,
  KAFKA_SASL_PASSWORD: null,
  SCHEMA_REGISTRY_URL: 'http://registry',
  SCHEMA_REGISTRY_TLS_CA: null,
  REDIS_URL: 'redis://redis',
  REDIS_TLS_CA: null,
  DATABASE_URL: 'postgres://postgres',
  DATABASE_TLS_CA: null,
  REGISTRATION: 'invite',
  MAIL_URL: null,
  GATEWAY_ROUTES: 'all',
  GATEWAY_HOST: '0.0.0.0',
  GATEWAY_PORT: 8080,
  MANAGEMENT_HOST: '127.0.0.1',
  MANAGEMENT_PORT: 9464,
  DECISIONS_TOPIC: 'decisions',
  EVALUATIONS_TOPIC: 'evaluations',
  STORAGE_GROUP_ID: 'storage',
  EVALUATION_GROUP_ID: 'evaluation',
  PRODUCE_DEADLINE_MS: 10_000,
  PRODUCE_LINGER_MS: 3,
  SHUTDOWN_DEADLINE_MS: 25_000,
  SHUTDOWN_UNREADY_MS: 1000
}

describe('contradictionsOf', () => {
  test('accepts valid settings and settings that were not read', () => {
    expect(contradictionsOf(fine)).toEqual([])
    expect(contradictionsOf({})).toEqual([])
    expect(cautionsOf(fine)).toEqual([])
    expect(cautionsOf({})).toEqual([])
  })

  test.each<[RuleValues, string]>([
    [{ KAFKA_TLS_CA: 'PEM' }, 'KAFKA_TLS_CA is set, but KAFKA_TLS is not true'],
    [
      { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u' },
      'KAFKA_SASL_PASSWORD is not set; KAFKA_SASL_MECHANISM requires it'
    ],
    [{ KAFKA_SASL_USERNAME: 'u' }, 'KAFKA_SASL_USERNAME is set, but KAFKA_SASL_MECHANISM is none'],
    [{ KAFKA_SASL_PASSWORD: 'p' }, 'KAFKA_SASL_PASSWORD is set, but KAFKA_SASL_MECHANISM is none'],
    [{ REDIS_TLS_CA: 'PEM' }, 'REDIS_TLS_CA is set, but REDIS_URL does not begin with rediss://'],
    [
      { SCHEMA_REGISTRY_TLS_CA: 'PEM' },
      'SCHEMA_REGISTRY_TLS_CA is set, but SCHEMA_REGISTRY_URL does not begin with https://'
    ],
    [
      { DATABASE_TLS_CA: 'PEM' },
      'DATABASE_TLS_CA is set, but the sslmode of DATABASE_URL does not verify; use verify-full'
    ],
    [
      { DATABASE_URL: 'postgres://h/d?sslmode=verify-ca' },
      'DATABASE_TLS_CA is not set; sslmode=verify-ca requires it, or any host would be accepted'
    ],
    [
      { EVALUATIONS_TOPIC: 'decisions' },
      'EVALUATIONS_TOPIC is the same as DECISIONS_TOPIC; they must differ'
    ],
    [
      { EVALUATION_GROUP_ID: 'storage' },
      'EVALUATION_GROUP_ID is the same as STORAGE_GROUP_ID; they must differ'
    ],
    [
      { REGISTRATION: 'open' },
      'MAIL_URL is not set; REGISTRATION=open requires it to email the token of each registration'
    ],
    [{ MANAGEMENT_PORT: 8080 }, 'MANAGEMENT_PORT is the same as GATEWAY_PORT; they must differ'],
    [
      { PRODUCE_LINGER_MS: 100, PRODUCE_DEADLINE_MS: 100 },
      'PRODUCE_LINGER_MS is 100; it must be less than PRODUCE_DEADLINE_MS, 100'
    ],
    [
      { SHUTDOWN_DEADLINE_MS: 10_500 },
      'SHUTDOWN_DEADLINE_MS is 10500; it must be at least 11000, the sum of ' +
        'SHUTDOWN_UNREADY_MS and PRODUCE_DEADLINE_MS, so that pending writes to Kafka can ' +
        'finish'
    ]
  ])('%j', (changed, message) => {
    expect(contradictionsOf({ ...fine, ...changed })).toEqual([message])
  })

  test('requires a key for a certificate, and a certificate for a key', () => {
    const tls = { ...fine, KAFKA_TLS: true }
    const { cert: KAFKA_TLS_CERT, key: KAFKA_TLS_KEY } = issued
    expect(contradictionsOf({ ...tls, KAFKA_TLS_CERT, KAFKA_TLS_KEY })).toEqual([])
    expect(contradictionsOf({ ...tls, KAFKA_TLS_CERT })).toEqual([
      'KAFKA_TLS_KEY is not set; KAFKA_TLS_CERT requires it'
    ])
    expect(contradictionsOf({ ...tls, KAFKA_TLS_KEY })).toEqual([
      'KAFKA_TLS_CERT is not set; KAFKA_TLS_KEY requires it'
    ])
    expect(contradictionsOf({ ...tls, KAFKA_TLS_CERT, KAFKA_TLS_KEY: other.key })).toEqual([
      'KAFKA_TLS_KEY is not the key of the certificate in KAFKA_TLS_CERT'
    ])
  })

  test('requires no mail for open registration on a gateway that only ingests', () => {
    const open = { ...fine, REGISTRATION: 'open' }
    expect(contradictionsOf({ ...open, MAIL_URL: 'smtp://mail' })).toEqual([])
    expect(contradictionsOf({ ...open, GATEWAY_ROUTES: 'ingest' })).toEqual([])
  })

  test('accepts two free ports, or one port on two addresses', () => {
    expect(contradictionsOf({ ...fine, GATEWAY_PORT: 0, MANAGEMENT_PORT: 0 })).toEqual([])
    const apart = { ...fine, MANAGEMENT_PORT: 8080, GATEWAY_HOST: '10.0.0.1' }
    expect(contradictionsOf(apart)).toEqual([])
  })
})

test('warns of secrets and data that can be read in transit', () => {
  const sasl = { KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
  expect(
    cautionsOf({
      ...{ ...fine, ...sasl, KAFKA_SASL_MECHANISM: 'plain' },
      DATABASE_URL: 'postgres://h/d?sslmode=no-verify',
      SCHEMA_REGISTRY_URL: 'http://user:secret@registry',
      PRIVATE_ADDRESSES_ALLOWED: true
    })
  ).toEqual([
    'KAFKA_SASL_MECHANISM=plain without KAFKA_TLS sends the password in plain text',
    'DATABASE_URL has sslmode=no-verify: the identity of the server is not verified',
    'SCHEMA_REGISTRY_URL has a password but no TLS: the password is sent in plain text',
    'PRIVATE_ADDRESSES_ALLOWED=true: judges and webhooks of all users can reach private addresses'
  ])
})
