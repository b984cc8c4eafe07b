/** Tests the byte writer against known encodings and the reader of @platformatic/kafka. */
import { expect, test } from '@jest/globals'
import { Reader } from '@platformatic/kafka'
import fc from 'fast-check'
import {
  ByteWriter,
  bytesSize,
  varintSize
} from '../../../../../platform/kafka/producer/byte-writer.ts'

const size = 100

function written(write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter(Buffer.alloc(size))
  write(writer)
  return writer.bytes.subarray(0, writer.at)
}

test.each([
  [0, '00'],
  [-1, '01'],
  [1, '02'],
  [63, '7e'],
  [64, '8001'],
  [-65, '8101'],
  [2 ** 31 - 1, 'feffffff0f'],
  [-(2 ** 31), 'ffffffff0f']
])('%d as a varint is %s', (value, hex) => {
  expect(written((writer) => writer.varint(value)).toString('hex')).toBe(hex)
  expect(varintSize(value)).toBe(hex.length / 2)
})

/** The client's reader misreads values outside this range. The table above tests 32-bit limits. */
const lengths = fc.integer({ min: -(2 ** 30), max: 2 ** 30 - 1 })

test('every varint is read as written, and has the computed size', () => {
  fc.assert(
    fc.property(lengths, fc.nat(), (signed, unsigned) => {
      const bytes = written((writer) => {
        writer.varint(signed)
        writer.unsignedVarint(unsigned)
      })
      const reader = Reader.from(bytes)
      expect([reader.readVarInt(), reader.readUnsignedVarInt()]).toEqual([signed, unsigned])
      const signedBytes = written((writer) => writer.varint(signed))
      expect(varintSize(signed)).toBe(signedBytes.length)
    })
  )
})

test('integers of every width are read as written', () => {
  const eight = fc.integer({ min: -128, max: 127 })
  const sixteen = fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })
  const large = fc.maxSafeInteger()
  fc.assert(
    fc.property(eight, sixteen, fc.integer(), large, (a, b, c, d) => {
      const bytes = written((writer) => {
        writer.int8(a)
        writer.int16(b)
        writer.int32(c)
        writer.int64(d)
      })
      const reader = Reader.from(bytes)
      expect(reader.readInt8()).toBe(a)
      expect(reader.readInt16()).toBe(b)
      expect(reader.readInt32()).toBe(c)
      expect(reader.readInt64()).toBe(BigInt(d))
    })
  )
})

test('texts and bytes follow their length', () => {
  const text = 'агент 🤖'
  const bytes = written((writer) => {
    writer.prefixed(text)
    writer.prefixed(Buffer.from([0, 255]))
    writer.prefixed('')
  })
  const reader = Reader.from(bytes)
  expect(reader.readVarIntBytes()?.toString()).toBe(text)
  expect(reader.readVarIntBytes()).toEqual(Buffer.from([0, 255]))
  expect(reader.readVarIntBytes()).toEqual(Buffer.alloc(0))
  const sizes = [text, '', ''].map((one) => bytesSize(Buffer.byteLength(one)))
  expect(bytes.length).toBe((sizes[0] ?? 0) + bytesSize(2) + (sizes[2] ?? 0))
})

test('a part of another buffer is copied', () => {
  const source = Buffer.from('0123456789')
  const bytes = written((writer) => {
    writer.int8(1)
    writer.copy(source, 3, 6)
    writer.copy(source, 9, 10)
  })
  expect(bytes.toString('latin1')).toBe('\u00013459')
})
