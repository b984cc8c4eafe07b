/** What the broker in its container is told about its listeners. */
import { expect, test } from '@jest/globals'
import { createKafkaContainer, kafkaEnvironment } from '../../../../stack/docker/kafka-container.ts'

test('clients are sent to the port of this machine that was picked beforehand', () => {
  const environment = kafkaEnvironment({ client: 19092 }, false)
  expect(environment['KAFKA_ADVERTISED_LISTENERS']).toMatch(/^CLIENT:\/\/127\.0\.0\.1:19092,/)
  expect(environment['KAFKA_LISTENERS']).not.toContain('PROXY')
  expect(environment['KAFKA_AUTO_CREATE_TOPICS_ENABLE']).toBe('false')
})

test('each listener has a protocol, and the controller is advertised to nobody', () => {
  const environment = kafkaEnvironment({ client: 1, proxy: { host: 2, advertised: 3 } }, true)
  const names = (environment['KAFKA_LISTENERS'] ?? '').split(',').map((one) => one.split(':')[0])
  const kinds = (environment['KAFKA_LISTENER_SECURITY_PROTOCOL_MAP'] ?? '').split(',')
  expect(kinds.toSorted()).toEqual(names.map((name) => `${name}:PLAINTEXT`).toSorted())
  expect(environment['KAFKA_ADVERTISED_LISTENERS']).not.toContain('CONTROLLER')
})

test('the proxy listener is published on one port and advertises another', async () => {
  const context = { ephemeral: true, portOf: () => Promise.resolve(20_001) }
  const { spec, brokers, proxyTarget } = await createKafkaContainer(context, { advertisedPort: 9 })
  expect(brokers).toBe('127.0.0.1:20001')
  expect(spec.environment?.['KAFKA_ADVERTISED_LISTENERS']).toMatch(/PROXY:\/\/127\.0\.0\.1:9$/)
  expect(spec.ports.map(({ host }) => `127.0.0.1:${host}`)).toEqual([brokers, proxyTarget])
})
