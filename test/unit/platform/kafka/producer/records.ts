/** Builds lists of encoded records, and decodes encoded records with the reader of
 * @platformatic/kafka, which is independent of the encoder.
 */
import { Reader } from '@platformatic/kafka'
import {
  encodeRecord,
  EncodedRecords
} from '../../../../../platform/kafka/producer/encoded-records.ts'
import type { OutgoingRecord } from '../../../../../platform/kafka/record-producer.ts'
import { BufferPool } from '../../../../../platform/process/buffer-pool.ts'

export interface TestRecord extends Omit<OutgoingRecord, 'topic'> {
  /** Default: 0. */
  readonly partition?: number
}

export interface DecodedRecord {
  readonly key: Buffer | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

const gap = Buffer.alloc(3, 0xff)

/**
 * Encodes the records into one shared buffer, with other bytes around each record.
 */
export function encodedRecordsOf(records: readonly TestRecord[]): EncodedRecords {
  const parts = records.map(encodeRecord)
  const buffer = Buffer.concat([gap, ...parts.flatMap((part) => [part, gap])])
  const places = { buffers: parts.map(() => buffer), starts: [] as number[], ends: [] as number[] }
  let start = gap.length
  for (const { length } of parts) {
    places.starts.push(start)
    places.ends.push(start + length)
    start += length + gap.length
  }
  const encoded = new EncodedRecords()
  for (const [index, { partition = 0 }] of records.entries()) encoded.add(places, index, partition)
  return encoded
}

/** @throws unless the record ends at `end` */
export function decodeRecord(bytes: Buffer, start = 0, end = bytes.length): DecodedRecord {
  const reader = Reader.from(bytes.subarray(start, end))
  const key = reader.readVarIntBytes()
  const value = reader.readVarIntBytes()
  if (value === null) throw new Error('the record has no value')
  const headers = reader.readVarIntArray((pair) => [
    String(pair.readVarIntBytes()),
    String(pair.readVarIntBytes())
  ])
  if (reader.remaining !== 0) throw new Error('the record has bytes after its headers')
  return { key, value, headers: Object.fromEntries(headers) as Record<string, string> }
}

export function decodeRecords({ buffers, starts, ends }: EncodedRecords): DecodedRecord[] {
  return buffers.map((buffer, index) => decodeRecord(buffer, starts[index], ends[index]))
}

/** A pool that gives buffers of exactly the requested size, and records its calls. */
export class RecordingPool extends BufferPool {
  readonly taken: Buffer[] = []
  readonly given: Buffer[] = []

  override take(bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(bytes)
    this.taken.push(buffer)
    return buffer
  }

  override give(buffer: Buffer): void {
    this.given.push(buffer)
  }
}
