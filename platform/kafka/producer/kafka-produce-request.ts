/** A Produce request and what the broker answers, in version 9: Kafka's since 2.8, and still in 4.
 *
 *     transactional id · acks · timeout · [topic · [partition · record batch]]
 */
import type { Reader } from '@platformatic/kafka'
import { ByteWriter } from './byte-writer.ts'
import { measureBatch, writeBatch } from './kafka-record-batch.ts'
import type { BatchRecord, MeasuredBatch } from './kafka-record-batch.ts'

export const produceApi = { key: 0, name: 'Produce', version: 9 } as const

/** What a broker says it speaks. */
export interface SpokenApi {
  readonly apiKey: number
  readonly minVersion: number
  readonly maxVersion: number
}

/** @throws when requests of this version are not among what the broker takes. */
export function requireProduce(apis: readonly SpokenApi[]): void {
  const { key, name, version } = produceApi
  const api = apis.find(({ apiKey }) => apiKey === key)
  if (api !== undefined && api.minVersion <= version && version <= api.maxVersion) return
  const taken = api === undefined ? 'none' : `${api.minVersion} to ${api.maxVersion}`
  throw new Error(
    `the broker takes ${name} in versions ${taken}, not ${version}: use Kafka 2.8 or newer`
  )
}

export interface PartitionRecords {
  readonly topic: string
  readonly partition: number
  readonly records: readonly BatchRecord[]
}

/** What became of the records of one partition; 0 is written. */
export interface PartitionAnswer {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
}

interface PartitionBatch {
  readonly partition: number
  readonly batch: MeasuredBatch
}

const allInSyncReplicas = -1
/** Transactional id, acks, time-out, the number of topics and the tags at the end, at most. */
const requestOverheadBytes = 16
/** Lengths, partition number and tags, beside a topic's name and a partition's batch, at most. */
const topicOverheadBytes = 16
const partitionOverheadBytes = 16

/** @param timestamp of all its records, in milliseconds since 1970. */
export function produceRequestOf(
  partitions: readonly PartitionRecords[],
  { timeoutMs, timestamp }: { readonly timeoutMs: number; readonly timestamp: number }
): Buffer {
  const topics = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, of]) => ({
    name: Buffer.from(topic, 'utf8'),
    batches: of.map(({ partition, records }) => ({ partition, batch: measureBatch(records) }))
  }))
  const bytesMax = topics.map(topicBytesMax).reduce((sum, bytes) => sum + bytes, 0)
  const writer = new ByteWriter(requestOverheadBytes + bytesMax)
  writer.unsignedVarint(0)
  writer.int16(allInSyncReplicas)
  writer.int32(timeoutMs)
  writer.unsignedVarint(topics.length + 1)
  for (const { name, batches } of topics) {
    writer.unsignedVarint(name.length + 1)
    writer.raw(name)
    writer.unsignedVarint(batches.length + 1)
    for (const batch of batches) writePartition(writer, batch, timestamp)
    writeNoTags(writer)
  }
  writeNoTags(writer)
  return writer.bytes.subarray(0, writer.at)
}

function topicBytesMax(topic: { name: Buffer; batches: readonly PartitionBatch[] }): number {
  const { name, batches } = topic
  const bytes = batches.map(({ batch }) => partitionOverheadBytes + batch.size)
  return bytes.reduce((sum, size) => sum + size, topicOverheadBytes + name.length)
}

function writePartition(writer: ByteWriter, { partition, batch }: PartitionBatch, at: number) {
  writer.int32(partition)
  writer.unsignedVarint(batch.size + 1)
  writeBatch(writer, batch, at)
  writeNoTags(writer)
}

function writeNoTags(writer: ByteWriter): void {
  writer.unsignedVarint(0)
}

/** Base offset, time of appending and start of the log: nobody here asks for them. */
const unreadBytes = 24

export function readProduceAnswer(reader: Reader): PartitionAnswer[] {
  const answers = reader.readArray((topicReader) => {
    const topic = topicReader.readString()
    return topicReader.readArray((partitionReader) => readPartition(partitionReader, topic))
  })
  return answers.flat()
}

function readPartition(reader: Reader, topic: string): PartitionAnswer {
  const partition = reader.readInt32()
  const errorCode = reader.readInt16()
  reader.skip(unreadBytes)
  reader.readArray((errors) => {
    errors.readInt32()
    errors.readNullableString()
  })
  reader.readNullableString()
  return { topic, partition, errorCode }
}
