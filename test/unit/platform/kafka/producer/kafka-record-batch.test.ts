/** Tests record batches with the decoder of @platformatic/kafka, which is independent of the
 * encoder.
 */
import { describe, expect, test } from '@jest/globals'
import { jsCRC32C, Reader, readRecordsBatch } from '@platformatic/kafka'
import fc from 'fast-check'
import { ByteWriter } from '../../../../../platform/kafka/producer/byte-writer.ts'
import type { EncodedRecords } from '../../../../../platform/kafka/producer/encoded-records.ts'
import { batchSize, writeBatch } from '../../../../../platform/kafka/producer/kafka-record-batch.ts'
import { noon } from '../../../../support/builders.ts'
import { encodedRecordsOf } from './records.ts'
import type { TestRecord } from './records.ts'

function batchAt(records: EncodedRecords, indexes: readonly number[]): Buffer {
  const size = batchSize(records, indexes)
  const writer = new ByteWriter(Buffer.alloc(size))
  writeBatch(writer, { records, indexes, size }, noon)
  expect(writer.at).toBe(size)
  return writer.bytes
}

function batchOf(records: readonly TestRecord[]): Buffer {
  return batchAt(encodedRecordsOf(records), [...records.keys()])
}

function recordOf(text: string): TestRecord {
  return { key: null, value: Buffer.from(text), headers: {} }
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const header = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), bytes)
const record = fc.record({
  key: fc.option(bytes),
  value: bytes,
  headers: fc.dictionary(fc.string({ unit: 'binary' }), header, {
    maxKeys: 4,
    noNullPrototype: true
  })
})

describe('records', () => {
  test('are read as written', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 150 }), (records) => {
        const read = readRecordsBatch(Reader.from(batchOf(records))).records
        expect(read.map(({ offsetDelta }) => offsetDelta)).toEqual(records.map((_, at) => at))
        expect(read.map(({ key }) => key)).toEqual(records.map(({ key }) => key))
        expect(read.map(({ value }) => value)).toEqual(records.map(({ value }) => value))
        const headers = read.map((one) => one.headers.map((pair) => pair.map(String)))
        expect(headers).toEqual(
          records.map((one) => Object.entries(one.headers).map((pair) => pair.map(String)))
        )
      }),
      { numRuns: 50 }
    )
  })

  test('are read in large numbers and with values of several megabytes', () => {
    const large = { key: null, value: Buffer.alloc(4_400_000, 7), headers: {} }
    const small = { key: Buffer.from('k'), value: Buffer.from('v'), headers: { a: 'b' } }
    const records = [large, ...Array.from({ length: 5000 }, () => small)]
    const read = readRecordsBatch(Reader.from(batchOf(records))).records
    expect(read.length).toBe(5001)
    expect(read[0]?.value?.length).toBe(4_400_000)
    expect(read[5000]?.offsetDelta).toBe(5000)
  })

  test('are only those at the indexes, in that order', () => {
    const texts = ['a', 'b', 'c', 'd']
    const records = encodedRecordsOf(texts.map((text) => recordOf(text)))
    const read = readRecordsBatch(Reader.from(batchAt(records, [3, 0, 2]))).records
    expect(read.map(({ value }) => String(value))).toEqual(['d', 'a', 'c'])
    expect(read.map(({ offsetDelta }) => offsetDelta)).toEqual([0, 1, 2])
  })
})

test('a batch begins at the current position of the writer', () => {
  const records = encodedRecordsOf([recordOf('a')])
  const size = batchSize(records, [0])
  const writer = new ByteWriter(Buffer.alloc(size + 20, 0xee))
  writer.int64(1)
  writeBatch(writer, { records, indexes: [0], size }, noon)
  expect(writer.bytes.subarray(8, 8 + size)).toEqual(batchAt(records, [0]))
  expect(writer.bytes.subarray(8 + size)).toEqual(Buffer.alloc(12, 0xee))
})

test('the header has the fields that a broker checks', () => {
  const written = batchOf(['a', 'b', 'c'].map((text) => recordOf(text)))
  expect(readRecordsBatch(Reader.from(written))).toMatchObject({
    firstOffset: 0n,
    length: written.length - 12,
    partitionLeaderEpoch: -1,
    magic: 2,
    crc: jsCRC32C(written.subarray(21)),
    attributes: 0,
    lastOffsetDelta: 2,
    firstTimestamp: BigInt(noon),
    maxTimestamp: BigInt(noon),
    producerId: -1n,
    producerEpoch: -1,
    firstSequence: -1
  })
})

test('a record that differs from its computed size is rejected', () => {
  const records = encodedRecordsOf([recordOf('long')])
  const size = batchSize(records, [0])
  records.ends[0] = (records.ends[0] as number) - 1
  const writer = new ByteWriter(Buffer.alloc(2 * size))
  expect(() => writeBatch(writer, { records, indexes: [0], size }, noon)).toThrow(
    'differs from the computed size'
  )
})
