/** Contract tests for the Kafka producers of the gateway and the consumers, against a real broker.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { createKafkaClient } from '../../platform/kafka/kafka-client.ts'
import { createKafkaProbe } from '../../platform/kafka/kafka-probe.ts'
import {
  encodeRecord,
  EncodedRecords,
  partitionAt
} from '../../platform/kafka/producer/encoded-records.ts'
import { createKafkaProducer } from '../../platform/kafka/producer/kafka-producer.ts'
import { ProduceError } from '../../platform/kafka/record-producer.ts'
import type {
  OutgoingRecord,
  PartialSendError,
  RecordProducer
} from '../../platform/kafka/record-producer.ts'
import { onEnd } from '../support/cleanup.ts'
import { createTopic, endOffsets, readAll, uniqueName } from '../support/kafka.ts'
import { hasKafkaProxy, services, startKafkaProxy } from '../support/services.ts'

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const deadlineMs = 10_000
/** 1 MiB, about Kafka's default limit for a record batch. Sluice's topics have a higher limit. */
const brokerDefaultBytes = 1024 * 1024

type CreateProducer = (brokers: string, topic: string) => RecordProducer

const producers: [string, CreateProducer][] = [
  [
    "the gateway's producer",
    (brokers, topic) =>
      createKafkaProducer({ brokers: [brokers], clientId: 'test', topic, deadlineMs })
  ],
  [
    "the consumers' producer",
    (brokers) => createKafkaClient({ brokers: [brokers], clientId: 'test', logger }).producer()
  ]
]

function aRecord(topic: string, text: string, key: string | null = null): OutgoingRecord {
  const bytes = Buffer.from(text, 'utf8')
  return { topic, key: key === null ? null : Buffer.from(key), value: bytes, headers: { id: text } }
}

async function connected(producer: RecordProducer): Promise<RecordProducer> {
  await producer.connect()
  onEnd(() => producer.close())
  return producer
}

describe.each(producers)('%s', (_name, create) => {
  const brokers = (): string => services().addresses.kafkaBrokers.split(',')[0] ?? ''

  test('writes keys, values and headers unchanged', async () => {
    const topic = await createTopic('producer', { partitions: 3 })
    const producer = await connected(create(brokers(), topic))
    const value = randomBytes(2000)
    const headers = { decision_id: 'a', bytes: Buffer.from([0, 255, 1]) }
    await producer.send([{ topic, key: Buffer.from('агент 🤖'), value, headers }])

    const [record] = await readAll(topic)
    expect(record?.key).toBe('агент 🤖')
    expect(record?.value?.equals(value)).toBe(true)
    expect(Object.keys(record?.headers ?? {})).toEqual(['decision_id', 'bytes'])
  })

  test('reports a record that is too large for the broker as not retryable', async () => {
    const topic = await createTopic('producer', { partitions: 1 })
    const producer = await connected(create(brokers(), topic))
    const large = { ...aRecord(topic, 'large'), value: randomBytes(brokerDefaultBytes + 1000) }
    const refused = producer.send([large])
    await expect(refused).rejects.toThrow(ProduceError)
    await expect(refused).rejects.toMatchObject({ retryable: false })
  })

  test('loses no acknowledged record when responses of the broker are lost', async () => {
    if (!hasKafkaProxy()) throw new Error('this stack has no proxy listener')
    const topic = await createTopic('swallowed', { partitions: 2 })
    const proxy = await startKafkaProxy()
    const producer = await connected(create(proxy.brokers, topic))
    const acknowledged = await sendWhileAnswersGetLost(producer, topic, () =>
      proxy.swallowProduceResponses(1)
    )

    const found = new Set((await readAll(topic)).map(({ headers }) => headers['id']))
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
    expect(proxy.swallowed()).toBeGreaterThanOrEqual(rounds)
    expect(acknowledged.length).toBeGreaterThan(rounds)
    await producer.close()
    await proxy.close()
  })
})

test('writes records that were sent before the connection was open', async () => {
  const topic = await createTopic('early', { partitions: 1 })
  const brokers = services().addresses.kafkaBrokers.split(',')
  const producer = createKafkaProducer({ brokers, clientId: 'test', topic, deadlineMs })
  onEnd(() => producer.close())
  await producer.send([aRecord(topic, 'early')])
  expect((await readAll(topic)).map(({ headers }) => headers['id'])).toEqual(['early'])
})

test('skips a frozen broker at the head of the list', async () => {
  const topic = await createTopic('frozen-first', { partitions: 1 })
  // Accepts connections but never responds, like a suspended broker.
  const silent = createServer((socket) => onEnd(() => Promise.resolve(socket.destroy())))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onEnd(() => Promise.resolve(silent.close()))
  const frozen = `127.0.0.1:${(silent.address() as AddressInfo).port}`
  const brokers = [frozen, ...services().addresses.kafkaBrokers.split(',')]
  const producer = createKafkaProducer({ brokers, clientId: 'test', topic, deadlineMs })
  const probe = createKafkaProbe({ brokers, clientId: 'test', topics: [topic] })
  onEnd(() => Promise.all([producer.close(), probe.close()]))
  await Promise.all([producer.connect(), probe.check()])
  await producer.send([aRecord(topic, 'skipped')])
  expect((await readAll(topic)).map(({ headers }) => headers['id'])).toEqual(['skipped'])
})

test('writes records of all sizes to all partitions in one send', async () => {
  const topic = await createTopic('many', { partitions: 12 })
  const brokers = services().addresses.kafkaBrokers.split(',').slice(0, 1)
  const producer = createKafkaProducer({ brokers, clientId: 'test', topic, deadlineMs })
  await connected(producer)
  const records = Array.from({ length: 500 }, (_, index) => ({
    topic,
    key: index % 7 === 0 ? null : Buffer.from(`key-${index}`),
    value: randomBytes(index % 50 === 0 ? 20_000 : index),
    headers: { id: String(index), text: 'агент 🤖', none: '', bytes: Buffer.from([0, 255]) }
  }))
  await producer.send(records)
  const found = new Map((await readAll(topic)).map((record) => [record.headers['id'], record]))
  for (const { key, value, headers } of records) {
    const record = found.get(headers.id)
    expect(record?.key ?? null).toBe(key === null ? null : String(key))
    expect(record?.value?.equals(value)).toBe(true)
    expect(record?.headers['text']).toBe(headers.text)
  }
  expect(found.size).toBe(records.length)
})

test('rejects a topic that does not exist, without creating it', async () => {
  const topic = uniqueName('typo')
  const brokers = services().addresses.kafkaBrokers.split(',')
  const options = { brokers, clientId: 'test', topic, deadlineMs: 1000 }
  const producer = createKafkaProducer(options)
  onEnd(() => producer.close())
  await expect(producer.send([aRecord(topic, 'lost')])).rejects.toThrow(ProduceError)
  await expect(endOffsets(topic)).rejects.toThrow('This server does not host this topic')
})

test('rejects a record of another topic than its own', async () => {
  const topic = await createTopic('own', { partitions: 1 })
  const brokers = services().addresses.kafkaBrokers.split(',')
  const producer = createKafkaProducer({ brokers, clientId: 'test', topic, deadlineMs })
  onEnd(() => producer.close())
  await expect(producer.send([aRecord(uniqueName('other'), 'lost')])).rejects.toThrow(
    'is not configured'
  )
  expect(await readAll(topic)).toEqual([])
})

test('rejects only the record that is too large, and writes the others', async () => {
  const topic = await createTopic('neighbours', { partitions: 2 })
  const brokers = services().addresses.kafkaBrokers.split(',')[0] ?? ''
  const producer = createKafkaProducer({
    ...{ brokers: [brokers], clientId: 'test', topic, deadlineMs }
  })
  await connected(producer)
  const encoded = Array.from({ length: 20 }, (_, index) => {
    const value = index === 7 ? randomBytes(brokerDefaultBytes + 1000) : Buffer.from('small')
    return encodeRecord({ ...aRecord(topic, String(index), `key-${index}`), value })
  })
  const places = {
    buffers: encoded,
    starts: encoded.map(() => 0),
    ends: encoded.map(({ length }) => length)
  }
  const records = new EncodedRecords()
  for (const [index, buffer] of encoded.entries()) {
    records.add(places, index, partitionAt(buffer, 0, producer.partitions().length))
  }
  expect(new Set(records.partitions)).toEqual(new Set([0, 1]))
  const refused = await producer.sendEncoded(records).catch((error: unknown) => error)
  expect((refused as PartialSendError).failures).toEqual(new Map([[7, false]]))
  const found = (await readAll(topic)).map(({ headers }) => Number(headers['id']))
  expect(found.toSorted((a, b) => a - b)).toEqual(
    encoded.map((_, index) => index).filter((index) => index !== 7)
  )
})

const rounds = 6
const sendsPerRound = 10

/**
 * Sends ten concurrent records per round, and loses one response in each round. Returns the ids of
 * the acknowledged records.
 */
async function sendWhileAnswersGetLost(
  producer: RecordProducer,
  topic: string,
  loseAnswer: () => void
): Promise<string[]> {
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round++) {
    loseAnswer()
    const ids = Array.from({ length: sendsPerRound }, (_, index) => `${round}-${index}`)
    const sends = ids.map((id) => producer.send([aRecord(topic, id, id)]))
    const results = await Promise.allSettled(sends)
    acknowledged.push(...ids.filter((_, index) => results[index]?.status === 'fulfilled'))
  }
  return acknowledged
}

test('both producers choose the same partition for a key as the Java client', async () => {
  const topic = await createTopic('partitions', { partitions: 12 })
  const brokers = services().addresses.kafkaBrokers.split(',')[0] ?? ''
  const keys = ['refund-agent', 'a', 'агент', '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55', '21', '🤖']
  for (const [name, create] of producers) {
    const producer = await connected(create(brokers, topic))
    await producer.send(keys.map((key) => aRecord(topic, name, key)))
  }
  const records = await readAll(topic)
  for (const key of keys) {
    const partitions = records.filter((record) => record.key === key).map((r) => r.partition)
    expect(partitions).toEqual([javaPartition(key, 12), javaPartition(key, 12)])
  }
})

/** Computes the partition as Kafka's Java client does: toPositive(murmur2(key)) % partitions. */
function javaPartition(key: string, partitions: number): number {
  const bytes = Buffer.from(key, 'utf8')
  const m = 0x5bd1e995
  let hash = 0x9747b28c ^ bytes.length
  let at = 0
  for (; at + 4 <= bytes.length; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), m)
    word = Math.imul(word ^ (word >>> 24), m)
    hash = Math.imul(hash, m) ^ word
  }
  const rest = bytes.subarray(at)
  if (rest.length > 0) {
    hash ^= rest.readUIntLE(0, rest.length)
    hash = Math.imul(hash, m)
  }
  hash = Math.imul(hash ^ (hash >>> 13), m)
  hash ^= hash >>> 15
  return (hash & 0x7fffffff) % partitions
}
