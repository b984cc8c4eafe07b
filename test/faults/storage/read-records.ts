/** Reads every record of a topic with its raw bytes, without code shared with Sluice. */
import { randomUUID } from 'node:crypto'
import { Kafka, logLevel } from 'kafkajs'
import type { IHeaders, KafkaMessage } from 'kafkajs'
import { waitUntil } from '../../support/wait-until.ts'

export interface RawRecord {
  readonly partition: number
  readonly offset: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** Sorted by name. A name can occur more than once. */
  readonly headers: readonly (readonly [string, Buffer])[]
}

const connectMs = 5000
const fetchWaitMs = 50
const readMs = 120_000

export async function readRecords(brokers: string, topic: string): Promise<RawRecord[]> {
  const kafka = new Kafka({
    clientId: 'sluice-fault-check',
    brokers: brokers.split(','),
    connectionTimeout: connectMs,
    logLevel: logLevel.NOTHING
  })
  const admin = kafka.admin()
  const groupId = `fault-check-${randomUUID()}`
  await admin.connect()
  try {
    const ends = await admin.fetchTopicOffsets(topic)
    const left = new Map(
      ends.flatMap(({ partition, high, low }) =>
        high === low ? [] : [[partition, Number(high)] as const]
      )
    )
    return left.size === 0 ? [] : await consume(kafka, { groupId, topic, left })
  } finally {
    await admin.deleteGroups([groupId]).catch(() => {})
    await admin.disconnect()
  }
}

interface Reading {
  readonly groupId: string
  readonly topic: string
  /** End offsets of the partitions that are still to be read. */
  readonly left: Map<number, number>
}

async function consume(kafka: Kafka, { groupId, topic, left }: Reading): Promise<RawRecord[]> {
  // Keyed by position, because a client that reconnects can read a record twice.
  const found = new Map<string, RawRecord>()
  const ends = new Map(left)
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: fetchWaitMs
  })
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatch: ({ batch: { partition, messages } }) => {
        const end = ends.get(partition) ?? 0
        for (const message of messages.filter(({ offset }) => Number(offset) < end)) {
          found.set(`${partition}/${message.offset}`, recordOf(partition, message))
        }
        if (Number(messages.at(-1)?.offset ?? -1) + 1 >= end) left.delete(partition)
        return Promise.resolve()
      }
    })
    await waitUntil(`all of ${topic} is read`, () => left.size === 0, readMs)
  } finally {
    await consumer.disconnect()
  }
  return [...found.values()].toSorted((a, b) => a.partition - b.partition || a.offset - b.offset)
}

function recordOf(partition: number, message: KafkaMessage): RawRecord {
  return {
    partition,
    offset: Number(message.offset),
    key: message.key,
    value: message.value,
    headers: headersOf(message.headers ?? {})
  }
}

function headersOf(headers: IHeaders): [string, Buffer][] {
  return Object.entries(headers)
    .flatMap(([name, value]) =>
      [value ?? []].flat().map((each) => [name, Buffer.from(each)] as const)
    )
    .map(([name, value]): [string, Buffer] => [name, value])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}
