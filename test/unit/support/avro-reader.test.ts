/** Tests the independent Avro reader with the examples of the specification. */
import { describe, expect, test } from '@jest/globals'
import { readAvro, readWireFormat } from '../../support/avro-reader.ts'

function read(schema: unknown, hex: string): unknown {
  return readAvro(JSON.stringify(schema), Buffer.from(hex.replaceAll(' ', ''), 'hex'))
}

describe('readAvro', () => {
  test.each([
    ['00', 0],
    ['01', -1],
    ['02', 1],
    ['7f', -64],
    ['8001', 64],
    ['feffffffffffff1f', Number.MAX_SAFE_INTEGER],
    ['ffffffffffffff1f', -Number.MAX_SAFE_INTEGER - 1]
  ])('reads the long %s as %d', (hex, value) => {
    expect(read('long', hex)).toBe(value)
  })

  test.each([
    ['string', '06666f6f', 'foo'],
    ['string', '08f09f9880', '😀'],
    ['boolean', '01', true],
    ['double', '000000000000f03f', 1],
    ['float', '0000803f', 1],
    ['bytes', '04beef', Buffer.from('beef', 'hex')],
    ['null', '', null]
  ])('reads a %s', (schema, hex, value) => {
    expect(read(schema, hex)).toEqual(value)
  })

  test('reads the record of the specification', () => {
    const fields = [
      { name: 'a', type: 'long' },
      { name: 'b', type: 'string' }
    ]
    expect(read({ type: 'record', name: 'test', fields }, '36 06 66 6f 6f')).toEqual({
      a: 27,
      b: 'foo'
    })
  })

  test('reads unions by branch, arrays and maps by block', () => {
    expect(read(['null', 'string'], '02 02 61')).toBe('a')
    expect(read(['null', 'string'], '00')).toBeNull()
    expect(read({ type: 'array', items: 'long' }, '04 06 36 00')).toEqual([3, 27])
    expect(read({ type: 'array', items: 'long' }, '03 04 06 36 00')).toEqual([3, 27])
    expect(read({ type: 'map', values: 'int' }, '02 02 61 04 00')).toEqual({ a: 2 })
    expect(read({ type: 'enum', name: 'e', symbols: ['x', 'y'] }, '02')).toBe('y')
  })

  test('reads a type by its name where it is used again', () => {
    const point = { type: 'record', name: 'Point', fields: [{ name: 'x', type: 'int' }] }
    const fields = [
      { name: 'from', type: point },
      { name: 'to', type: 'Point' }
    ]
    expect(read({ type: 'record', name: 'Line', fields }, '02 04')).toEqual({
      from: { x: 1 },
      to: { x: 2 }
    })
  })

  test('ignores a logical type', () => {
    expect(read({ type: 'long', logicalType: 'timestamp-millis' }, '04')).toBe(2)
  })

  test.each([
    ['string', '06 66', 'no 3 bytes at 1'],
    ['long', '80', 'no 1 bytes at 1'],
    [['null', 'string'], '04', 'branch 2 of 2'],
    ['long', '02 02', '1 bytes are left'],
    ['Unknown', '02', 'has no type Unknown']
  ])('refuses %j in %s', (schema, hex, message) => {
    expect(() => read(schema, hex)).toThrow(message)
  })
})

test('readWireFormat splits schema id and payload', () => {
  expect(readWireFormat(Buffer.from('0081020304beef', 'hex'))).toEqual({
    schemaId: 0x81020304,
    payload: Buffer.from('beef', 'hex')
  })
  expect(() => readWireFormat(Buffer.from('01000000010a', 'hex'))).toThrow('first byte is 1')
})
