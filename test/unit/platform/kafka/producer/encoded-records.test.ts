/** Tests encoded records with generated keys, values and headers, in shared buffers. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { partitionOf } from '../../../../../core/decision/partition.ts'
import {
  encodeRecord,
  EncodedRecords,
  keyTextOf,
  partitionAt,
  valueStartOf
} from '../../../../../platform/kafka/producer/encoded-records.ts'
import { decodeRecord, decodeRecords, encodedRecordsOf } from './records.ts'

/** Lengths with one and two bytes, and around the limit between them. */
const bytes = fc
  .oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 62, maxLength: 66 }))
  .map((array) => Buffer.from(array))
const headers = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), {
  maxKeys: 4,
  noNullPrototype: true
})
const record = fc.record({ key: fc.option(bytes), value: bytes, headers })
const records = fc.array(record, { minLength: 1, maxLength: 20 })

/** Calls `check` for each record with its buffer and start in a list that shares one buffer. */
function eachRecord(
  check: (one: { key: Buffer | null; value: Buffer }, buffer: Buffer, start: number) => void
): void {
  const property = fc.property(records, (list) => {
    const { buffers, starts } = encodedRecordsOf(list)
    for (const [index, one] of list.entries()) {
      check(one, buffers[index] as Buffer, starts[index] as number)
    }
  })
  fc.assert(property)
}

test('a record is read as written, and its buffer has no other bytes', () => {
  const property = fc.property(record, (one) => {
    const wanted = Object.entries(one.headers).map((pair) => pair.map(utf8))
    const { key, value, headers: read } = decodeRecord(encodeRecord(one))
    expect({ key, value }).toEqual({ key: one.key, value: one.value })
    expect(Object.entries(read)).toEqual(wanted)
  })
  fc.assert(property)
})

/** Returns the text after it was encoded: an unpaired surrogate becomes U+FFFD. */
function utf8(text: string): string {
  return text.toWellFormed()
}

test('headers of bytes are written unchanged', () => {
  const encoded = encodeRecord({
    key: null,
    value: Buffer.alloc(0),
    headers: { bytes: Buffer.from([0, 255]) }
  })
  expect(encoded.toString('hex')).toBe('0100020a62797465730400ff')
})

describe('of a record at any start', () => {
  test('the value is found', () => {
    eachRecord(({ value }, buffer, start) => {
      const from = valueStartOf(buffer, start)
      expect(buffer.subarray(from, from + value.length)).toEqual(value)
    })
  })

  test('the key is found, and an absent key is empty', () => {
    eachRecord(({ key }, buffer, start) => {
      expect(keyTextOf(buffer, start)).toBe(key?.toString('utf8') ?? '')
    })
  })

  test('the partition is that of its key, and -1 without a key', () => {
    eachRecord(({ key }, buffer, start) => {
      for (const partitions of [1, 12, 1_000_003]) {
        const expected = key === null ? -1 : partitionOf(key, partitions)
        expect(partitionAt(buffer, start, partitions)).toBe(expected)
      }
    })
  })
})

test('an empty key is a key', () => {
  const encoded = encodeRecord({ key: Buffer.alloc(0), value: Buffer.from('v'), headers: {} })
  expect(keyTextOf(encoded, 0)).toBe('')
  expect(partitionAt(encoded, 0, 12)).toBe(partitionOf(Buffer.alloc(0), 12))
  expect(encoded.toString('utf8', valueStartOf(encoded, 0))).toContain('v')
})

test('the value is found after a key and before a value of several megabytes', () => {
  const key = Buffer.alloc(1_200_000, 'k')
  const value = Buffer.alloc(4_400_000, 'v')
  const encoded = encodeRecord({ key, value, headers: {} })
  const from = valueStartOf(encoded, 0)
  expect(encoded.subarray(from, from + value.length).equals(value)).toBe(true)
  expect(keyTextOf(encoded, 0)).toBe(key.toString())
})

test('a list has the chosen records of other lists, in the order of addition', () => {
  const recordOf = (text: string) => ({ key: null, value: Buffer.from(text), headers: {} })
  const [first, second] = [['a', 'b', 'c'], ['d']].map((texts) =>
    encodedRecordsOf(texts.map(recordOf))
  )
  const list = new EncodedRecords()
  list.add(first as EncodedRecords, 2, -1)
  list.add(second as EncodedRecords, 0, 7)
  list.add(first as EncodedRecords, 0, 1)
  expect(list.length).toBe(3)
  expect(decodeRecords(list).map(({ value }) => String(value))).toEqual(['c', 'd', 'a'])
  expect(list.partitions).toEqual([-1, 7, 1])
})
