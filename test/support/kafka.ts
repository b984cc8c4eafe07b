/** Manages topics, records and consumer groups for tests, with a separate Kafka client. */
import { randomUUID } from 'node:crypto'
import kafkajs, { Kafka, logLevel, Partitioners } from 'kafkajs'
import type { Admin, IHeaders, KafkaMessage, Producer } from 'kafkajs'
import { onEnd } from './cleanup.ts'
import { services } from './services.ts'
import { waitUntil } from './wait-until.ts'

export type TopicRecord = {
  readonly partition: number
  readonly offset: bigint
  readonly key: string | null
  readonly value: Buffer | null
  readonly headers: Readonly<Record<string, string>>
}

export type NewRecord = {
  key?: string | null
  value: Buffer | null
  headers?: Record<string, string>
  partition?: number
}

const connectMs = 5000
const fetchWaitMs = 50
const readTimeoutMs = 30_000

type Client = { readonly kafka: Kafka; readonly admin: Admin; readonly producer: Producer }

let client: Promise<Client> | undefined

/** Connects on first use. All tests of a file share the connection. */
async function open(): Promise<Client> {
  const kafka = new Kafka({
    clientId: 'sluice-test',
    brokers: services().addresses.kafkaBrokers.split(','),
    connectionTimeout: connectMs,
    logLevel: logLevel.NOTHING
  })
  const admin = kafka.admin()
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false
  })
  await Promise.all([admin.connect(), producer.connect()])
  onEnd(async () => {
    client = undefined
    await Promise.all([admin.disconnect(), producer.disconnect()])
  })
  return { kafka, admin, producer }
}

async function connected(): Promise<Client> {
  client ??= open()
  return await client
}

/** Appends a random suffix, so that concurrent tests do not share a name. */
export function uniqueName(about: string): string {
  return `${about}-${randomUUID().slice(0, 8)}`
}

/** Creates a topic and deletes it after the test file. */
export async function createTopic(
  about: string,
  options: { partitions?: number; config?: Record<string, string> } = {}
): Promise<string> {
  const { admin } = await connected()
  const topic = uniqueName(about)
  const configEntries = Object.entries(options.config ?? {}).map(([name, value]) => ({
    name,
    value
  }))
  const numPartitions = options.partitions ?? 1
  await admin.createTopics({
    topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }],
    // Waiting in kafkajs fails if the broker does not know the topic yet, so `waitUntil` below
    // waits instead.
    waitForLeaders: false
  })
  deleteOnEnd([topic])
  await waitUntil(`${topic} exists`, async () => (await endOffsets(topic)).size === numPartitions)
  return topic
}

/** Deletes the topics after the test file, if they still exist. */
export function deleteOnEnd(topics: readonly string[]): void {
  onEnd(async () => {
    const { admin } = await connected()
    const existing = await admin.listTopics()
    const left = topics.filter((topic) => existing.includes(topic))
    if (left.length > 0) await admin.deleteTopics({ topics: left })
  })
}

/** Deletes a topic and waits until it is gone. */
export async function deleteTopic(topic: string): Promise<void> {
  const { admin } = await connected()
  await admin.deleteTopics({ topics: [topic] })
  await waitUntil(`${topic} to be deleted`, async () => !(await admin.listTopics()).includes(topic))
}

/**
 * Replaces the topic configuration. Settings that are not given return to the broker's defaults.
 */
export async function configureTopic(
  topic: string,
  config: Readonly<Record<string, string>>
): Promise<void> {
  const { admin } = await connected()
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
  const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries }
  await admin.alterConfigs({ validateOnly: false, resources: [resource] })
}

/** Writes records directly to Kafka, without the gateway. */
export async function produce(topic: string, records: readonly NewRecord[]): Promise<void> {
  const { producer } = await connected()
  const messages = records.map(({ key = null, ...record }) => ({ key, ...record }))
  await producer.send({ topic, messages, acks: -1 })
}

/** Deletes all records before an offset, as retention does. */
export async function deleteRecords(
  topic: string,
  { partition, before }: { partition: number; before: bigint }
): Promise<void> {
  const { admin } = await connected()
  // Fetch the offsets first, so that the client knows the leader of the partition.
  await admin.fetchTopicOffsets(topic)
  await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(before) }] })
}

export async function endOffsets(topic: string): Promise<Map<number, bigint>> {
  const { admin } = await connected()
  const offsets = await admin.fetchTopicOffsets(topic)
  return new Map(offsets.map(({ partition, high }) => [partition, BigInt(high)]))
}

/** Returns a group's committed offsets by partition. Partitions without a commit are omitted. */
export async function committedOffsets(
  groupId: string,
  topic: string
): Promise<Map<number, bigint>> {
  const { admin } = await connected()
  const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] })
  const committed = (answer?.partitions ?? []).filter(({ offset }) => offset !== '-1')
  return new Map(committed.map(({ partition, offset }) => [partition, BigInt(offset)]))
}

/** Sets the offsets of the given partitions. The group must have no members. */
export async function setOffsets(
  groupId: string,
  topic: string,
  offsets: ReadonlyMap<number, bigint>
): Promise<void> {
  const { admin } = await connected()
  const partitions = [...offsets].map(([partition, offset]) => ({
    partition,
    offset: String(offset)
  }))
  await admin.setOffsets({ groupId, topic, partitions })
}

/**
 * Returns the sorted member ids of a group. A consumer that was removed from the group gets a new
 * id when it joins again.
 */
export async function groupMembers(groupId: string): Promise<string[]> {
  const { admin } = await connected()
  const { groups } = await admin.describeGroups([groupId])
  return (groups[0]?.members ?? []).map(({ memberId }) => memberId).toSorted()
}

/** Waits until the group's committed offsets have reached the end of the topic. */
export async function waitUntilConsumed(
  groupId: string,
  topic: string,
  timeoutMs?: number
): Promise<void> {
  const ends = await endOffsets(topic)
  const hasCaughtUp = async (): Promise<boolean> => {
    const committed = await committedOffsets(groupId, topic)
    return [...ends].every(
      ([partition, end]) => end === 0n || (committed.get(partition) ?? 0n) >= end
    )
  }
  await waitUntil(`${groupId} to commit all of ${topic}`, hasCaughtUp, timeoutMs)
}

/**
 * Returns the records of a topic in partition and offset order, starting at the given offsets or at
 * the beginning.
 */
export async function readAll(
  topic: string,
  from: ReadonlyMap<number, bigint> = new Map()
): Promise<TopicRecord[]> {
  const ends = await endOffsets(topic)
  const missing = new Map([...ends].filter(([partition, end]) => end > (from.get(partition) ?? 0n)))
  if (missing.size === 0) return []
  // Keyed by position, because a client that reconnects can read a record twice.
  const records = new Map<string, TopicRecord>()
  const { kafka } = await connected()
  const consumer = kafka.consumer({
    groupId: uniqueName('reader'),
    allowAutoTopicCreation: false,
    // Use short fetches, because leaving the group waits for the current fetch.
    maxWaitTimeInMs: fetchWaitMs
  })
  try {
    consumer.on(consumer.events.GROUP_JOIN, () => {
      for (const [partition, offset] of from) {
        consumer.seek({ topic, partition, offset: String(offset) })
      }
    })
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        const { partition } = batch
        const found = batch.messages.map((message) => recordOf(partition, message))
        for (const record of found.filter((each) => isBetween(each, from, ends))) {
          records.set(`${partition}/${record.offset}`, record)
        }
        if (BigInt(batch.lastOffset()) + 1n >= (ends.get(partition) ?? 0n))
          missing.delete(partition)
        return Promise.resolve()
      }
    })
    await waitUntil(`all of ${topic} to be read`, () => missing.size === 0, readTimeoutMs)
  } finally {
    await consumer.disconnect()
  }
  const found = [...records.values()]
  return found.toSorted((a, b) => a.partition - b.partition || Number(a.offset - b.offset))
}

type Offsets = ReadonlyMap<number, bigint>

function isBetween({ partition, offset }: TopicRecord, from: Offsets, ends: Offsets): boolean {
  return offset >= (from.get(partition) ?? 0n) && offset < (ends.get(partition) ?? 0n)
}

function recordOf(partition: number, message: KafkaMessage): TopicRecord {
  return {
    partition,
    offset: BigInt(message.offset),
    key: message.key === null ? null : message.key.toString('utf8'),
    value: message.value,
    headers: textsOf(message.headers ?? {})
  }
}

function textsOf(headers: IHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
    const last = Array.isArray(value) ? value.at(-1) : value
    return [name, last === undefined ? '' : last.toString()]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

/**
 * Checks that `action` produces no record. A sentinel record is sent after `action`, and no other
 * new record may be on the topic; by default, a sentinel is sent to every partition. If the code
 * under test can write with a delay, send the sentinel on the same path: post a valid decision and
 * return its `decision_id`.
 */
export async function expectNothingProduced(
  topic: string,
  action: () => Promise<unknown>,
  sendSentinel: () => Promise<string> = () => sendToEveryPartition(topic)
): Promise<void> {
  const before = await endOffsets(topic)
  await action()
  const sentinel = await sendSentinel()
  const found = await readAll(topic, before)
  const others = found.filter(({ headers }) => headers['decision_id'] !== sentinel)
  if (found.length === others.length) throw new Error(`the sentinel did not reach ${topic}`)
  if (others.length === 0) return
  const seen = others.map(({ partition, offset, key }) => `${partition}/${offset} key ${key}`)
  throw new Error(`${others.length} records were produced to ${topic}: ${seen.join(', ')}`)
}

async function sendToEveryPartition(topic: string): Promise<string> {
  const sentinel = randomUUID()
  const partitions = [...(await endOffsets(topic)).keys()]
  const headers = { decision_id: sentinel }
  await produce(
    topic,
    partitions.map((partition) => ({ value: null, headers, partition }))
  )
  return sentinel
}
