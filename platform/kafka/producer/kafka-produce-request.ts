/** Produce requests: encodes requests and decodes responses of API version 9 (Kafka 2.8 to 4).
 *
 *     transactional id · acks · timeout · [topic · [partition · record batch]]
 */
import type { Reader } from '@platformatic/kafka'
import { ByteWriter } from './byte-writer.ts'
import { measureBatch, writeBatch } from './kafka-record-batch.ts'
import type { BatchRecord, MeasuredBatch } from './kafka-record-batch.ts'

export const produceApi = { key: 0, name: 'Produce', version: 9 } as const

/** Version range of an API that a broker supports. */
interface SupportedApi {
  readonly apiKey: number
  readonly minVersion: number
  readonly maxVersion: number
}

/** @throws if the broker does not support this version of Produce */
export function requireProduce(apis: readonly SupportedApi[]): void {
  const { key, name, version } = produceApi
  const api = apis.find(({ apiKey }) => apiKey === key)
  if (api !== undefined && api.minVersion <= version && version <= api.maxVersion) return
  const taken = api === undefined ? 'none' : `${api.minVersion} to ${api.maxVersion}`
  throw new Error(
    `the broker supports ${name} in versions ${taken}, not ${version}; use Kafka 2.8 or newer`
  )
}

export interface PartitionRecords {
  readonly topic: string
  readonly partition: number
  readonly records: readonly BatchRecord[]
}

/** Result for the records of one partition. Error code 0 means success. */
export interface PartitionResult {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
}

interface PartitionBatch {
  readonly partition: number
  readonly batch: MeasuredBatch
}

const allInSyncReplicas = -1
/** Maximum size of the transactional id, acks, timeout, topic count and trailing tags. */
const requestOverheadBytes = 16
/** Maximum size of a topic's fields, excluding its name and partitions. */
const topicOverheadBytes = 16
/** Maximum size of a partition's fields, excluding its batch. */
const partitionOverheadBytes = 16

/** @param timestamp the time of all records, in milliseconds since 1970 */
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

/** Size of the base offset, append time and log start offset, which are ignored. */
const unreadBytes = 24

export function readProduceResponse(reader: Reader): PartitionResult[] {
  const answers = reader.readArray((topicReader) => {
    const topic = topicReader.readString()
    return topicReader.readArray((partitionReader) => readPartition(partitionReader, topic))
  })
  return answers.flat()
}

function readPartition(reader: Reader, topic: string): PartitionResult {
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
