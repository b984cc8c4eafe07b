/** What every producer promises, shown on both clients against the real broker. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { createKafkaClient } from '../../platform/kafka/kafka-client.ts'
import { createKafkaProbe } from '../../platform/kafka/kafka-probe.ts'
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
/** The broker takes 1 MiB by default; a topic of ours takes more. */
const brokerDefaultBytes = 1024 * 1024

type CreateProducer = (brokers: string, topic: string) => RecordProducer

const producers: [string, CreateProducer][] = [
  [
    "the gateway's producer",
    (brokers, topic) =>
      createKafkaProducer({ brokers: [brokers], clientId: 'test', topics: [topic], deadlineMs })
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

  test('writes keys, values and headers byte for byte', async () => {
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

  test('sends a record that the broker finds too large back as final', async () => {
    const topic = await createTopic('producer', { partitions: 1 })
    const producer = await connected(create(brokers(), topic))
    const large = { ...aRecord(topic, 'large'), value: randomBytes(brokerDefaultBytes + 1000) }
    const refused = producer.send([large])
    await expect(refused).rejects.toThrow(ProduceError)
    await expect(refused).rejects.toMatchObject({ retryable: false })
  })

  test('keeps every acknowledged record although answers of the broker get lost', async () => {
    if (!hasKafkaProxy()) throw new Error('this stack has no listener for the proxy')
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

test('what is sent before there is a connection waits for one, and is written', async () => {
  const topic = await createTopic('early', { partitions: 1 })
  const brokers = services().addresses.kafkaBrokers.split(',')
  const producer = createKafkaProducer({ brokers, clientId: 'test', topics: [topic], deadlineMs })
  onEnd(() => producer.close())
  await producer.send([aRecord(topic, 'early')])
  expect((await readAll(topic)).map(({ headers }) => headers['id'])).toEqual(['early'])
})

test('a first broker that is frozen is passed over', async () => {
  const topic = await createTopic('frozen-first', { partitions: 1 })
  // The kernel takes connections for a process that is stopped, and nobody answers.
  const silent = createServer((socket) => onEnd(() => Promise.resolve(socket.destroy())))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onEnd(() => Promise.resolve(silent.close()))
  const frozen = `127.0.0.1:${(silent.address() as AddressInfo).port}`
  const brokers = [frozen, ...services().addresses.kafkaBrokers.split(',')]
  const producer = createKafkaProducer({ brokers, clientId: 'test', topics: [topic], deadlineMs })
  const probe = createKafkaProbe({ brokers, clientId: 'test', topics: [topic] })
  onEnd(() => Promise.all([producer.close(), probe.close()]))
  await Promise.all([producer.connect(), probe.ask()])
  await producer.send([aRecord(topic, 'passed over')])
  expect((await readAll(topic)).map(({ headers }) => headers['id'])).toEqual(['passed over'])
})

test('records of all sizes and partitions are written in one send, each as it was', async () => {
  const topic = await createTopic('many', { partitions: 12 })
  const brokers = services().addresses.kafkaBrokers.split(',').slice(0, 1)
  const producer = createKafkaProducer({ brokers, clientId: 'test', topics: [topic], deadlineMs })
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

test('a topic that nobody made is refused, and not made by a typing error', async () => {
  const topic = uniqueName('typo')
  const brokers = services().addresses.kafkaBrokers.split(',')
  const options = { brokers, clientId: 'test', topics: [topic], deadlineMs: 1000 }
  const producer = createKafkaProducer(options)
  onEnd(() => producer.close())
  await expect(producer.send([aRecord(topic, 'lost')])).rejects.toThrow(ProduceError)
  await expect(endOffsets(topic)).rejects.toThrow('This server does not host this topic')
})

test('a record too large for the broker fails alone, its neighbours are written', async () => {
  const topic = await createTopic('neighbours', { partitions: 2 })
  const brokers = services().addresses.kafkaBrokers.split(',')[0] ?? ''
  const producer = createKafkaProducer({
    ...{ brokers: [brokers], clientId: 'test', topics: [topic], deadlineMs }
  })
  await connected(producer)
  const records = Array.from({ length: 20 }, (_, index) => {
    const value = index === 7 ? randomBytes(brokerDefaultBytes + 1000) : Buffer.from('small')
    const { partition } = producer.route(topic, Buffer.from(`key-${index}`))
    return { ...aRecord(topic, String(index), `key-${index}`), value, partition }
  })
  const refused = await producer.sendRouted(records).catch((error: unknown) => error)
  expect((refused as PartialSendError).failures).toEqual(new Map([[7, false]]))
  const found = (await readAll(topic)).map(({ headers }) => Number(headers['id']))
  expect(found.toSorted((a, b) => a - b)).toEqual(
    records.map((_, index) => index).filter((index) => index !== 7)
  )
})

const rounds = 6
const sendsPerRound = 10

/** Ten sends at a time, one answer lost in each round; the ids of those that were acknowledged. */
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

test('both producers put a key on the partition that Java would', async () => {
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

/** Kafka's own murmur2, written from its definition: toPositive(murmur2(key)) % partitions. */
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
