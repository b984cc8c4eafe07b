/** What @platformatic/kafka is told of a connection. */
import { expect, test } from '@jest/globals'
import { connectionOf } from '../../../../../platform/kafka/producer/kafka-connection.ts'

const clientId = 'test'
const tls = { tls: {}, sasl: null }

test('nothing of security is said when there is none', () => {
  const brokers = ['kafka:9092']
  expect(connectionOf({ brokers, clientId })).toEqual({ clientId, bootstrapBrokers: brokers })
})

test('the name of a broker is told to it, unless all of them are addresses', () => {
  const named = (brokers: string[]) => connectionOf({ brokers, clientId, security: tls })
  expect(named(['kafka.example:9093'])).toMatchObject({ tlsServerName: true })
  expect(named(['10.0.0.1:9093', '[::1]:9093'])).toMatchObject({ tlsServerName: false })
  expect(named(['10.0.0.1:9093', 'kafka:9093'])).toMatchObject({ tlsServerName: true })
})
