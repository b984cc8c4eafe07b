/** Produce requests: encodes requests and decodes responses of API version 9 (Kafka 2.8 to 4).
 *
 *     transactional id · acks · timeout · [topic · [partition · record batch]]
 *
 * A request has one topic.
 */
import type { Reader } from '@platformatic/kafka'
import type { BufferPool } from '../../process/buffer-pool.ts'
import { ByteWriter } from './byte-writer.ts'
import type { EncodedRecords } from './encoded-records.ts'
import { batchSize, writeBatch } from './kafka-record-batch.ts'

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

/** The records of one partition, by their indexes in a list. */
export interface PartitionRecords {
  readonly partition: number
  readonly indexes: readonly number[]
}

/** Result for the records of one partition. Error code 0 means success. */
export interface PartitionResult {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
}

const allInSyncReplicas = -1
/** Maximum size of all fields except the topic's name and the partitions. */
const requestOverheadBytes = 32
/** Maximum size of a partition's fields, excluding its batch. */
const partitionOverheadBytes = 16

interface ProduceRequest {
  readonly topic: string
  readonly records: EncodedRecords
  readonly partitions: readonly PartitionRecords[]
  readonly timeoutMs: number
  /** Time of all records, in milliseconds since 1970. */
  readonly timestamp: number
}

/** Writes the request into a buffer from `pool`. */
export function writeProduceRequest(request: ProduceRequest, pool: BufferPool): ByteWriter {
  const { topic, records, partitions, timeoutMs, timestamp } = request
  const name = Buffer.from(topic, 'utf8')
  const sizes = partitions.map(({ indexes }) => batchSize(records, indexes))
  const bytesMax = sizes.reduce(
    (sum, size) => sum + partitionOverheadBytes + size,
    requestOverheadBytes + name.length
  )
  const writer = new ByteWriter(pool.take(bytesMax))
  writer.unsignedVarint(0)
  writer.int16(allInSyncReplicas)
  writer.int32(timeoutMs)
  writer.unsignedVarint(2)
  writer.unsignedVarint(name.length + 1)
  writer.raw(name)
  writer.unsignedVarint(partitions.length + 1)
  for (const [at, { partition, indexes }] of partitions.entries()) {
    const size = sizes[at] as number
    writer.int32(partition)
    writer.unsignedVarint(size + 1)
    writeBatch(writer, { records, indexes, size }, timestamp)
    writeNoTags(writer)
  }
  writeNoTags(writer)
  writeNoTags(writer)
  return writer
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
