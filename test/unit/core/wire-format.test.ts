/** Tests that headers of the Confluent wire format are read and written. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  readWireFormat,
  WireFormatError,
  wireHeaderBytes,
  writeWireHeader
} from '../../../core/wire-format.ts'
import { readWireFormat as readIndependently } from '../../support/avro-reader.ts'

function written(schemaId: number, payload: Uint8Array): Buffer {
  const value = Buffer.concat([Buffer.alloc(wireHeaderBytes, 0xff), payload])
  writeWireHeader(value, schemaId)
  return value
}

test.each([
  [0, '0000000000'],
  [1, '0000000001'],
  [0x01020304, '0001020304'],
  [2 ** 31, '0080000000'],
  [2 ** 32 - 1, '00ffffffff']
])('schema id %d is written as %s', (schemaId, hex) => {
  expect(written(schemaId, Buffer.alloc(0)).toString('hex')).toBe(hex)
})

test('is read back by Sluice and by an independent reader', () => {
  const schemaIds = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  fc.assert(
    fc.property(schemaIds, fc.uint8Array(), (schemaId, payload) => {
      const value = written(schemaId, payload)
      const expected = { schemaId, payload: Buffer.from(payload) }
      expect(readWireFormat(value)).toEqual(expected)
      expect(readIndependently(value)).toEqual(expected)
    })
  )
})

test('the payload is a view, not a copy', () => {
  const value = written(1, Buffer.from('abc'))
  const { payload } = readWireFormat(value)
  value[wireHeaderBytes] = 0x7a
  expect(payload.toString()).toBe('zbc')
})

describe('readWireFormat', () => {
  test.each([
    ['', 'value has 0 bytes, a wire header has 5'],
    ['00000001', 'value has 4 bytes, a wire header has 5'],
    ['0100000001', 'first byte is 1, expected 0'],
    ['7b22696e707574223a317d', 'first byte is 123, expected 0']
  ])('rejects %j: %s', (hex, message) => {
    const value = Buffer.from(hex, 'hex')
    expect(() => readWireFormat(value)).toThrow(new WireFormatError(message))
    expect(() => readWireFormat(value)).toThrow(WireFormatError)
  })

  test('accepts everything that begins with a complete header', () => {
    expect(readWireFormat(Buffer.from('0000000007', 'hex'))).toEqual({
      schemaId: 7,
      payload: Buffer.alloc(0)
    })
  })
})
