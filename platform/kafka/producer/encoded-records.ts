/** Encoded records: the bytes of Kafka records in shared buffers, without an object for each one.
 *
 *     key length · key · value length · value · header count · headers
 *
 * These bytes do not depend on the place of the record in its batch, so a retry sends them again
 * unchanged.
 */
import { ByteWriter, bytesSize, varintSize } from './byte-writer.ts'
import { positiveHash } from '../../../core/decision/partition.ts'
import type { OutgoingRecord, RecordProducer } from '../record-producer.ts'

/** Length of an absent key. */
const none = -1
const varintBytesMax = 5

/** Record `index` is in `buffers[index]` from `starts[index]` to `ends[index]`. */
export interface RecordPlaces {
  readonly buffers: readonly (Buffer | null)[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** A list of records with their partitions. */
export class EncodedRecords implements RecordPlaces {
  readonly buffers: Buffer[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** -1 if the partition is not known yet. */
  readonly partitions: number[] = []

  get length(): number {
    return this.buffers.length
  }

  /** Adds the record at `index` of `from`. */
  add({ buffers, starts, ends }: RecordPlaces, index: number, partition: number): void {
    this.buffers.push(buffers[index] as Buffer)
    this.starts.push(starts[index] as number)
    this.ends.push(ends[index] as number)
    this.partitions.push(partition)
  }
}

/** The partitions of a topic; empty until they are known. */
export type Partitions = readonly { readonly leader: number }[]

/** A producer of one topic that reports the failed records of a send. */
export interface EncodedProducer extends RecordProducer {
  /** Returns the partitions with the broker id of their leader, which is -1 if it is unknown. */
  partitions(): Partitions
  /**
   * Works like `send`, but the error identifies the failed records.
   * @throws {PartialSendError}
   */
  sendEncoded(records: EncodedRecords): Promise<void>
}

export function encodeRecord({ key, value, headers }: Omit<OutgoingRecord, 'topic'>): Buffer {
  const entries = Object.entries(headers)
  let size = key === null ? varintSize(none) : bytesSize(key.length)
  size += bytesSize(value.length) + varintSize(entries.length)
  for (const [name, text] of entries) {
    size += bytesSize(Buffer.byteLength(name)) + bytesSize(Buffer.byteLength(text))
  }
  const writer = new ByteWriter(Buffer.allocUnsafe(size))
  if (key === null) writer.varint(none)
  else writer.prefixed(key)
  writer.prefixed(value)
  writer.varint(entries.length)
  for (const [name, text] of entries) {
    writer.prefixed(name)
    writer.prefixed(text)
  }
  return writer.bytes
}

/** Returns where the value of the encoded record at `start` begins. */
export function valueStartOf(buffer: Buffer, start: number): number {
  const keyBytes = Math.max(0, readVarint(buffer, start))
  const lengthAt = start + sizeOfVarintAt(buffer, start) + keyBytes
  return lengthAt + sizeOfVarintAt(buffer, lengthAt)
}

/** Returns the key of the encoded record at `start` as text; empty if there is none. */
export function keyTextOf(buffer: Buffer, start: number): string {
  const from = start + sizeOfVarintAt(buffer, start)
  return buffer.toString('utf8', from, from + Math.max(0, readVarint(buffer, start)))
}

/**
 * Returns the partition of the encoded record at `start`. Returns -1 if it has no key, or if the
 * number of partitions is 0 because they are not known yet.
 */
export function partitionAt(buffer: Buffer, start: number, partitions: number): number {
  const keyBytes = readVarint(buffer, start)
  if (keyBytes < 0 || partitions === 0) return -1
  const from = start + sizeOfVarintAt(buffer, start)
  return positiveHash(buffer, from, from + keyBytes) % partitions
}

function readVarint(buffer: Buffer, start: number): number {
  let value = 0
  for (let at = start; at < start + varintBytesMax; at++) {
    const byte = buffer[at] as number
    value |= (byte & 0x7f) << (7 * (at - start))
    if (byte < 0x80) return (value >>> 1) ^ -(value & 1)
  }
  throw new RangeError('a record is damaged: it has no length')
}

function sizeOfVarintAt(buffer: Buffer, start: number): number {
  let at = start
  while ((buffer[at] as number) >= 0x80) at += 1
  return at + 1 - start
}
