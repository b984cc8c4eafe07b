/** Tests record batches with the decoder of @platformatic/kafka, which is independent of the
 * encoder.
 */
import { describe, expect, test } from '@jest/globals'
import { jsCRC32C, Reader, readRecordsBatch } from '@platformatic/kafka'
import fc from 'fast-check'
import { ByteWriter } from '../../../../../platform/kafka/producer/byte-writer.ts'
import {
  measureBatch,
  writeBatch
} from '../../../../../platform/kafka/producer/kafka-record-batch.ts'
import type { BatchRecord } from '../../../../../platform/kafka/producer/kafka-record-batch.ts'
import { noon } from '../../../../support/builders.ts'

function batchOf(records: readonly BatchRecord[], timestamp = noon): Buffer {
  const batch = measureBatch(records)
  const writer = new ByteWriter(batch.size)
  writeBatch(writer, batch, timestamp)
  expect(writer.at).toBe(batch.size)
  return writer.bytes
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
})

test('the header has the fields that a broker checks', () => {
  const records = ['a', 'b', 'c'].map((text) => ({
    key: null,
    value: Buffer.from(text),
    headers: {}
  }))
  const written = batchOf(records)
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
  let asked = 0
  const headers = {
    get changing() {
      asked += 1
      return asked === 1 ? 'long' : 'short'
    }
  }
  const batch = measureBatch([{ key: null, value: Buffer.alloc(1), headers }])
  const writer = new ByteWriter(2 * batch.size)
  expect(() => writeBatch(writer, batch, noon)).toThrow('differs from the computed size')
})
