/** Tests the listeners of the broker in a container. */
import { expect, test } from '@jest/globals'
import { createKafkaContainer, kafkaEnvironment } from '../../../../stack/docker/kafka-container.ts'

test('advertises the port chosen on this machine', () => {
  const environment = kafkaEnvironment({ client: 19092 }, false)
  expect(environment['KAFKA_ADVERTISED_LISTENERS']).toMatch(/^CLIENT:\/\/127\.0\.0\.1:19092,/)
  expect(environment['KAFKA_LISTENERS']).not.toContain('PROXY')
  expect(environment['KAFKA_AUTO_CREATE_TOPICS_ENABLE']).toBe('false')
})

test('gives each listener a protocol and does not advertise the controller', () => {
  const environment = kafkaEnvironment({ client: 1, proxy: { host: 2, advertised: 3 } }, true)
  const names = (environment['KAFKA_LISTENERS'] ?? '').split(',').map((one) => one.split(':')[0])
  const kinds = (environment['KAFKA_LISTENER_SECURITY_PROTOCOL_MAP'] ?? '').split(',')
  expect(kinds.toSorted()).toEqual(names.map((name) => `${name}:PLAINTEXT`).toSorted())
  expect(environment['KAFKA_ADVERTISED_LISTENERS']).not.toContain('CONTROLLER')
})

test('publishes the proxy listener on one port and advertises another', async () => {
  const context = { ephemeral: true, portOf: () => Promise.resolve(20_001) }
  const { spec, brokers, proxyTarget } = await createKafkaContainer(context, { advertisedPort: 9 })
  expect(brokers).toBe('127.0.0.1:20001')
  expect(spec.environment?.['KAFKA_ADVERTISED_LISTENERS']).toMatch(/PROXY:\/\/127\.0\.0\.1:9$/)
  expect(spec.ports.map(({ host }) => `127.0.0.1:${host}`)).toEqual([brokers, proxyTarget])
})
