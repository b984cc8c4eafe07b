/** Tests the connection options of @platformatic/kafka. */
import { expect, test } from '@jest/globals'
import { connectionOf } from '../../../../../platform/kafka/producer/kafka-connection.ts'

const clientId = 'test'
const tls = { tls: {}, sasl: null }

test('has no security options by default', () => {
  const brokers = ['kafka:9092']
  expect(connectionOf({ brokers, clientId })).toEqual({ clientId, bootstrapBrokers: brokers })
})

test('sends the server name, unless all brokers are addresses', () => {
  const named = (brokers: string[]) => connectionOf({ brokers, clientId, security: tls })
  expect(named(['kafka.example:9093'])).toMatchObject({ tlsServerName: true })
  expect(named(['10.0.0.1:9093', '[::1]:9093'])).toMatchObject({ tlsServerName: false })
  expect(named(['10.0.0.1:9093', 'kafka:9093'])).toMatchObject({ tlsServerName: true })
})
