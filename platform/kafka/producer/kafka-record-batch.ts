/** Writes uncompressed record batches in Kafka's format 2.
 *
 *     base offset 8 · length 4 · leader epoch 4 · magic 1 · CRC-32C 4 · attributes 2
 *         last offset delta 4 · first and last timestamp 16 · producer 14 · count 4 · records …
 *
 * The sizes are computed first, so that each record is copied only once, into the buffer of its
 * request. Most bytes that a gateway writes are records, so further copies would be expensive.
 */
import { crc32c } from '@node-rs/crc32'
import type { ByteWriter } from './byte-writer.ts'
import { varintSize } from './byte-writer.ts'
import type { EncodedRecords } from './encoded-records.ts'

/** Position of the first byte covered by the checksum. The first record begins at `headBytes`. */
const checkedFrom = 21
const headBytes = 61
/** Size of the base offset and the length field. The length does not count these fields. */
const uncountedBytes = 12
const formatVersion = 2
/** Marks an absent leader epoch, producer id, producer epoch or sequence. */
const none = -1
/**
 * Size of a record's attributes and timestamp delta. The delta is 0, because all records have the
 * same timestamp.
 */
const recordHeadBytes = 2

/** Returns the size in bytes of a batch with the records at `indexes`. */
export function batchSize(records: EncodedRecords, indexes: readonly number[]): number {
  let size = headBytes
  for (let delta = 0; delta < indexes.length; delta++) {
    const bytes = recordSize(records, indexes[delta] as number, delta)
    size += varintSize(bytes) + bytes
  }
  return size
}

function recordSize({ starts, ends }: EncodedRecords, index: number, delta: number): number {
  const bytes = (ends[index] as number) - (starts[index] as number)
  return recordHeadBytes + varintSize(delta) + bytes
}

/** The records of a batch, in order, and the size that `batchSize` returned for them. */
interface Batch {
  readonly records: EncodedRecords
  readonly indexes: readonly number[]
  readonly size: number
}

/** @param timestamp the time of all records, in milliseconds since 1970 */
export function writeBatch(writer: ByteWriter, batch: Batch, timestamp: number): void {
  const { records, indexes, size } = batch
  const start = writer.at
  writer.int64(0)
  writer.int32(size - uncountedBytes)
  writer.int32(none)
  writer.int8(formatVersion)
  writer.int32(0)
  writer.int16(0)
  writer.int32(indexes.length - 1)
  writer.int64(timestamp)
  writer.int64(timestamp)
  writer.int64(none)
  writer.int16(none)
  writer.int32(none)
  writer.int32(indexes.length)
  for (let delta = 0; delta < indexes.length; delta++) {
    const index = indexes[delta] as number
    writer.varint(recordSize(records, index, delta))
    writer.int16(0)
    writer.varint(delta)
    const buffer = records.buffers[index] as Buffer
    writer.copy(buffer, records.starts[index] as number, records.ends[index] as number)
  }
  if (writer.at - start !== size)
    throw new Error('the size of a batch differs from the computed size')
  const checked = writer.bytes.subarray(start + checkedFrom, writer.at)
  writer.bytes.writeUInt32BE(crc32c(checked), start + checkedFrom - 4)
}
