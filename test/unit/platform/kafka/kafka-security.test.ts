/** Tests the Kafka security settings for both clients. */
import { expect, test } from '@jest/globals'
import { readConfig } from '../../../../platform/config/config.ts'
import { connectionOf } from '../../../../platform/kafka/producer/kafka-connection.ts'
import { kafkaSecurityOf, kafkaSettingNames } from '../../../../platform/kafka/kafka-security.ts'
import { createAuthority } from '../../../support/certificates.ts'

const plain = { KAFKA_BROKERS: 'kafka:9092' }

function securityOf(environment: Record<string, string>) {
  return kafkaSecurityOf(readConfig({ ...plain, ...environment }, kafkaSettingNames))
}

test('uses neither encryption nor a login by default', () => {
  expect(securityOf({})).toEqual({ tls: null, sasl: null })
})

test('uses the CA certificates of Node.js for TLS alone', () => {
  expect(securityOf({ KAFKA_TLS: 'true' })).toEqual({ tls: {}, sasl: null })
})

test('uses TLS with a CA, a client certificate and a login', async () => {
  const authority = await createAuthority('authority')
  const { cert, key } = await authority.issue('sluice')
  const security = securityOf({
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA: authority.ca,
    KAFKA_TLS_CERT: cert,
    KAFKA_TLS_KEY: key,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'sluice',
    KAFKA_SASL_PASSWORD: 'secret'
  })
  expect(security).toEqual({
    tls: { ca: authority.ca, cert, key },
    sasl: { mechanism: 'scram-sha-512', username: 'sluice', password: 'secret' }
  })
  const brokers = ['kafka:9093']
  expect(connectionOf({ brokers, clientId: 'test', security })).toEqual({
    clientId: 'test',
    bootstrapBrokers: brokers,
    tls: { ca: authority.ca, cert, key },
    tlsServerName: true,
    sasl: { mechanism: 'SCRAM-SHA-512', username: 'sluice', password: 'secret' }
  })
})
