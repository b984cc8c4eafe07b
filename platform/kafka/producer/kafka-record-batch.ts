/** Encodes uncompressed record batches in Kafka's format 2.
 *
 *     base offset 8 · length 4 · leader epoch 4 · magic 1 · CRC-32C 4 · attributes 2
 *         last offset delta 4 · first and last timestamp 16 · producer 14 · count 4 · records …
 *
 * The sizes are computed first, so that each record is copied only once, into the buffer of its
 * request. Most bytes that a gateway writes are records, so further copies would be expensive.
 */
import { crc32c } from '@node-rs/crc32'
import type { ByteWriter } from './byte-writer.ts'
import { bytesSize, varintSize } from './byte-writer.ts'
import type { OutgoingRecord } from '../record-producer.ts'

export type BatchRecord = Pick<OutgoingRecord, 'key' | 'value' | 'headers'>

/** Records with their encoded sizes. */
export interface MeasuredBatch {
  readonly records: readonly BatchRecord[]
  /** Size in bytes of each record, without its length prefix. */
  readonly sizes: readonly number[]
  /** Size of the whole batch in bytes. */
  readonly size: number
}

/** Position of the first byte covered by the checksum. The first record begins at `headBytes`. */
const checkedFrom = 21
const headBytes = 61
/** Size of the base offset and the length field. The length does not count these fields. */
const uncountedBytes = 12
const formatVersion = 2
/** Marks an absent leader epoch, producer id, producer epoch, sequence or key. */
const none = -1
/**
 * Size of a record's attributes and timestamp delta. The delta is 0, because all records have the
 * same timestamp.
 */
const recordHeadBytes = 2

export function measureBatch(records: readonly BatchRecord[]): MeasuredBatch {
  const sizes = records.map(recordSize)
  const total = sizes.reduce((sum, size) => sum + varintSize(size) + size, headBytes)
  return { records, sizes, size: total }
}

function recordSize({ key, value, headers }: BatchRecord, offsetDelta: number): number {
  let size = recordHeadBytes + varintSize(offsetDelta)
  size += key === null ? varintSize(none) : bytesSize(key.length)
  size += bytesSize(value.length)
  size += varintSize(Object.keys(headers).length)
  for (const name in headers) {
    const text = headers[name] as string | Buffer
    size += bytesSize(Buffer.byteLength(name)) + bytesSize(Buffer.byteLength(text))
  }
  return size
}

/** @param timestamp the time of all records, in milliseconds since 1970 */
export function writeBatch(writer: ByteWriter, batch: MeasuredBatch, timestamp: number): void {
  const { records, sizes, size } = batch
  const start = writer.at
  writer.int64(0)
  writer.int32(size - uncountedBytes)
  writer.int32(none)
  writer.int8(formatVersion)
  writer.int32(0)
  writer.int16(0)
  writer.int32(records.length - 1)
  writer.int64(timestamp)
  writer.int64(timestamp)
  writer.int64(none)
  writer.int16(none)
  writer.int32(none)
  writer.int32(records.length)
  for (let index = 0; index < records.length; index++) {
    writer.varint(sizes[index] as number)
    writeRecord(writer, records[index] as BatchRecord, index)
  }
  if (writer.at - start !== size)
    throw new Error('the size of a batch differs from the computed size')
  const checked = writer.bytes.subarray(start + checkedFrom, writer.at)
  writer.bytes.writeUInt32BE(crc32c(checked), start + checkedFrom - 4)
}

function writeRecord(writer: ByteWriter, record: BatchRecord, offsetDelta: number): void {
  const { key, value, headers } = record
  writer.int16(0)
  writer.varint(offsetDelta)
  if (key === null) writer.varint(none)
  else writer.prefixed(key)
  writer.prefixed(value)
  writer.varint(Object.keys(headers).length)
  for (const name in headers) {
    writer.prefixed(name)
    writer.prefixed(headers[name] as string | Buffer)
  }
}
