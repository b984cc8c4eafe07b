/** Tests both Kafka clients over TLS: authentication by password or certificate, and clear errors.
 */
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { rootMessageOf } from '../../../core/root-message.ts'
import { createKafkaAdmin } from '../../../platform/kafka/kafka-admin.ts'
import { createKafkaClient } from '../../../platform/kafka/kafka-client.ts'
import type { KafkaClient } from '../../../platform/kafka/kafka-client.ts'
import { createKafkaConsumer } from '../../../platform/kafka/kafka-consumer.ts'
import { createKafkaFetcher } from '../../../platform/kafka/kafka-fetcher.ts'
import { createKafkaProbe } from '../../../platform/kafka/kafka-probe.ts'
import { createKafkaProducer } from '../../../platform/kafka/producer/kafka-producer.ts'
import type { KafkaSecurity, SaslMechanism } from '../../../platform/kafka/kafka-security.ts'
import { createTopicReader, messagesOf } from '../../../platform/kafka/topic-reader.ts'
import { createAuthority } from '../../support/certificates.ts'
import type { Authority } from '../../support/certificates.ts'
import { onEnd } from '../../support/cleanup.ts'
import { uniqueName } from '../../support/kafka.ts'
import { canStartSecureKafka, startSecureKafka } from '../../support/secure-kafka.ts'
import type { SecureKafka } from '../../support/secure-kafka.ts'
import { waitUntil } from '../../support/wait-until.ts'

jest.setTimeout(120_000)

const secureTest = canStartSecureKafka() ? test : test.skip
const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const deadlineMs = 10_000
const mechanisms: readonly SaslMechanism[] = ['plain', 'scram-sha-256', 'scram-sha-512']

let authority: Authority
let foreign: Authority
let kafka: SecureKafka

beforeAll(async () => {
  authority = await createAuthority('The authority of this Kafka')
  foreign = await createAuthority('Another authority')
  if (canStartSecureKafka()) kafka = await startSecureKafka(authority)
})

type Access = { brokers: readonly string[]; security: KafkaSecurity }

function byName(mechanism: SaslMechanism, changed: Partial<SecureKafka> = {}): Access {
  const { saslBrokers, username, password } = { ...kafka, ...changed }
  const sasl = { mechanism, username, password }
  return { brokers: [saslBrokers], security: { tls: { ca: authority.ca }, sasl } }
}

async function byCertificate(issuer = authority): Promise<Access> {
  const { cert, key } = await issuer.issue('sluice')
  const tls = { ca: authority.ca, cert, key }
  return { brokers: [kafka.mutualBrokers], security: { tls, sasl: null } }
}

async function createTopic(access: Access): Promise<string> {
  const name = uniqueName('secure')
  const admin = createKafkaAdmin(createKafkaClient({ ...access, clientId: 'test', logger }).admin())
  await admin.connect()
  await admin.applyTopic({ name, partitions: 1, replicationFactor: 1, config: {} })
  await admin.close()
  return name
}

/**
 * Waits for the group coordinator, because the consumer client fails while the coordinator is
 * loading.
 */
async function waitForCoordinator(client: KafkaClient, topic: string): Promise<void> {
  const admin = createKafkaAdmin(client.admin())
  await admin.connect()
  await waitUntil('the coordinator answers', () => admin.readGroupProgress(topic, topic))
  await admin.close()
}

/**
 * Sends a record with each of the two producers and returns the values read back from the topic.
 */
async function passBoth(access: Access): Promise<string[]> {
  const topic = await createTopic(access)
  const client = createKafkaClient({ ...access, clientId: 'test', logger })
  const producers = [
    createKafkaProducer({ ...access, clientId: 'test', topic, deadlineMs }),
    client.producer()
  ]
  for (const [index, producer] of producers.entries()) {
    await producer.connect()
    await producer.send([{ topic, key: null, value: Buffer.from(`${index}`), headers: {} }])
    await producer.close()
  }
  await waitForCoordinator(client, topic)
  const read: string[] = []
  const group = { groupId: topic, batchBytesMax: 1_048_576, sessionTimeoutMs: 10_000 }
  const consumer = createKafkaConsumer({
    consumer: client.consumer(group),
    ...{ partitionsMax: 1, batchMessagesMax: 100 },
    takeEpoch: () => Promise.resolve(0),
    onCrash: () => {}
  })
  onEnd(() => consumer.stop())
  await consumer.run([topic], async (batch) => {
    read.push(...batch.messages.map(({ value }) => String(value)))
    await batch.commit()
  })
  await waitUntil('both records are read', () => read.length >= producers.length)
  expect(await readWithoutGroup(access, topic)).toEqual(read)
  return read
}

async function readWithoutGroup(access: Access, topic: string): Promise<string[]> {
  const reader = createTopicReader(createKafkaFetcher({ ...access, clientId: 'test' }))
  onEnd(() => reader.close())
  const found: string[] = []
  const fetchedRanges = reader.read(topic, await reader.ranges(topic), new AbortController().signal)
  for await (const { value } of messagesOf(fetchedRanges)) found.push(String(value))
  return found
}

describe('both clients write and read', () => {
  secureTest.each(mechanisms)('logged in with %s', async (mechanism) => {
    expect(await passBoth(byName(mechanism))).toEqual(['0', '1'])
  })

  secureTest('logged in with a certificate', async () => {
    expect(await passBoth(await byCertificate())).toEqual(['0', '1'])
  })
})

/** Returns the error of each client, or "connected" for a client that can connect. */
async function refusalsOf(access: Access): Promise<string[]> {
  const probe = createKafkaProbe({ ...access, clientId: 'test', topics: ['any'] })
  const admin = createKafkaClient({ ...access, clientId: 'test', logger }).admin()
  const messages = await Promise.all(
    [probe.check(), admin.connect()].map((answer) => answer.then(() => 'connected', rootMessageOf))
  )
  await Promise.all([probe.close(), admin.disconnect()])
  return messages
}

describe('reports the reason', () => {
  secureTest.each(mechanisms)('for a wrong password with %s', async (mechanism) => {
    // On a busy machine, a connection can time out before the broker rejects the password.
    const messages = await waitUntil('both clients get a response', async () => {
      const found = await refusalsOf(byName(mechanism, { password: 'wrong' }))
      return !found.some((message) => message.includes('timed out')) && found
    })
    for (const message of messages) expect(message).toMatch(/authentication failed/i)
    expect(messages.join()).not.toContain('wrong')
  })

  // Runs the cases concurrently, because the consumer client retries for ten seconds.
  secureTest('for every TLS error', async () => {
    const inTheClear = { tls: null, sasl: null }
    const trusting = { tls: { ca: authority.ca }, sasl: null }
    const mistrusting = { tls: { ca: foreign.ca }, sasl: null }
    const answers = await Promise.all([
      refusalsOf({ brokers: [kafka.saslBrokers], security: mistrusting }),
      refusalsOf({
        brokers: [kafka.saslBrokers.replace('127.0.0.1', 'localhost')],
        security: trusting
      }),
      refusalsOf({ brokers: [kafka.mutualBrokers], security: trusting }),
      refusalsOf(await byCertificate(foreign)),
      refusalsOf({ brokers: [kafka.saslBrokers], security: inTheClear }),
      refusalsOf({ brokers: [kafka.plainBrokers], security: trusting })
    ])
    const [unknownBroker, otherName, noCertificate, unknownCertificate, clear, notTls] = answers
    const expected = (pattern: RegExp) =>
      [pattern, pattern].map((each) => expect.stringMatching(each))
    expect(unknownBroker).toEqual(expected(/unable to verify the first certificate/))
    expect(otherName).toEqual(expected(/does not match certificate's altnames/))
    // With TLS 1.3 a broker rejects a certificate after the client considers itself connected.
    expect(noCertificate).toEqual(expected(/Connection closed|alert/))
    expect(unknownCertificate).toEqual(expected(/Connection closed|alert/))
    expect(clear).toEqual(['Broker requires TLS.', 'Closed connection'])
    expect(notTls).toEqual(expected(/TLS handshake failed|secure TLS connection/))
  })
})
