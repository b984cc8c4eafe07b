/** Tests the broker's configuration file. */
import { expect, test } from '@jest/globals'
import { propertiesOf } from '../../../../stack/native/kafka.ts'

test('listens on the loopback address and does not create topics automatically', () => {
  const lines = propertiesOf({ client: 9092, controller: 9093 }, '/data').split('\n')
  expect(lines).toContain('listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093')
  expect(lines).toContain('advertised.listeners=PLAINTEXT://127.0.0.1:9092')
  expect(lines).toContain('auto.create.topics.enable=false')
  expect(lines).toContain('log.dirs=/data')
})

test('advertises another port for the proxy listener', () => {
  const ports = { client: 1, controller: 2, proxy: { listen: 3, advertised: 4 } }
  const text = propertiesOf(ports, '/data')
  expect(text).toMatch(/^listeners=.*PROXY:\/\/127\.0\.0\.1:3,CONTROLLER/m)
  expect(text).toMatch(/^advertised\.listeners=.*PROXY:\/\/127\.0\.0\.1:4$/m)
})
