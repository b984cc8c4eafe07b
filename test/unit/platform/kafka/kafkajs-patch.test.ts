/** Tests that the patched client decodes records with 100,000 headers. */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import '../../../../platform/kafka/kafkajs-patch.ts'

type Decode = (decoder: object) => { headers: Record<string, Buffer | Buffer[]> }
const load = createRequire(import.meta.url)
const Decoder = load('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => object
const decodeRecord = load('kafkajs/src/protocol/recordBatch/record/v0/decoder') as Decode

/** Encodes a non-negative integer as a zigzag varint, as Kafka records do. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value * 2
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

function sized(text: string): Buffer {
  return Buffer.concat([varint(Buffer.byteLength(text)), Buffer.from(text)])
}

function recordOf(headers: readonly (readonly [string, string])[]): object {
  const pairs = headers.flatMap(([name, value]) => [sized(name), sized(value)])
  // Attributes, timestamp and offset, then an empty key and an empty value.
  const head = Buffer.from([0, 0, 0, 0, 0])
  return new Decoder(Buffer.concat([head, varint(headers.length), ...pairs]))
}

const context = { firstOffset: '0', firstTimestamp: '0', magicByte: 2 }
const decode = decodeRecord as (decoder: object, batch: object) => ReturnType<Decode>

test('a repeated name becomes a list, and __proto__ is a name like others', () => {
  const headers = [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
    ['__proto__', '4'],
    ['a', '5']
  ] as const
  const decoded = decode(recordOf(headers), context).headers
  expect(Object.entries(decoded)).toEqual([
    ['a', ['1', '3', '5'].map((text) => Buffer.from(text))],
    ['b', Buffer.from('2')],
    ['__proto__', Buffer.from('4')]
  ])
  expect(decode(recordOf([]), context).headers).toEqual({})
})

test('a record of many headers is decoded like others', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `h${index}`)
  const headers = names.map((name) => [name, 'v'] as const)
  expect(Object.keys(decode(recordOf(headers), context).headers)).toEqual(names)
})

test('kafkajs still copies all headers for each one: remove the patch when this fails', () => {
  // Runs kafkajs without the patch, and counts how many times a step of `reduce` returns a new
  // object.
  const script = `
    const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder')
    const Decoder = require('kafkajs/src/protocol/decoder')
    let copies = 0
    Decoder.prototype.readVarIntArray = () => ({
      reduce: (step, start) =>
        Array.from('abc').reduce((headers, key) => {
          const next = step(headers, { key, value: key })
          if (next !== headers) copies++
          return next
        }, start)
    })
    decodeRecord(new Decoder(Buffer.alloc(5)), { firstOffset: '0', firstTimestamp: '0' })
    console.log(copies)`
  const copies = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()
  expect(copies).toBe('3')
})
