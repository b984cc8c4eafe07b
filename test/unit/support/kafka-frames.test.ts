/** Tests that Kafka traffic is split into frames, so that the proxy can drop individual frames. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  createFrameSplitter,
  readCorrelationId,
  readOffsetCommit,
  readRequestHeader
} from '../../support/kafka-frames.ts'

function frameOf(body: Uint8Array): Buffer {
  const frame = Buffer.alloc(4 + body.length)
  frame.writeInt32BE(body.length, 0)
  frame.set(body, 4)
  return frame
}

describe('createFrameSplitter', () => {
  test('returns the same frames for chunks of any size', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(bodies, cuts, (contents, sizes) => {
        const frames = contents.map(frameOf)
        const split = createFrameSplitter()
        const found = [...chunksOf(Buffer.concat(frames), sizes)].flatMap(split)
        expect(found.map((frame) => frame.toString('hex'))).toEqual(
          frames.map((frame) => frame.toString('hex'))
        )
      })
    )
  })

  test('does not return an incomplete frame', () => {
    const split = createFrameSplitter()
    const frame = frameOf(Buffer.from('abcdef'))
    expect(split(frame.subarray(0, 9))).toEqual([])
    expect(split(frame.subarray(9))).toEqual([frame])
  })

  test.each([-1, 0x7fffffff])('rejects the length %d', (length) => {
    const bytes = Buffer.alloc(8)
    bytes.writeInt32BE(length, 0)
    expect(() => createFrameSplitter()(bytes)).toThrow('is not a frame length')
  })
})

test('reads the header of a request and the id of a response', () => {
  // ApiVersions (18) version 3 with correlation id 7, then the client's name.
  const request = frameOf(Buffer.from('0012000300000007000474657374', 'hex'))
  expect(readRequestHeader(request)).toEqual({ apiKey: 18, apiVersion: 3, correlationId: 7 })
  expect(readCorrelationId(frameOf(Buffer.from('000000070000', 'hex')))).toBe(7)
})

/** Encodes a text with its length prefix. */
function textOf(text: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeInt16BE(text.length)
  return Buffer.concat([length, Buffer.from(text)])
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

/** Encodes an OffsetCommit request of member "m" for two partitions of topic "t". */
function offsetCommitOf(version: number, retention: string): Buffer {
  const header = bytesOf(`0008 000${version} 00000005`)
  const partitions = '00000002 00000003 0000000000000102 ffff 00000004 7fffffffffffffff 0000'
  const start = [textOf('client'), textOf('group'), bytesOf('00000009'), textOf('m')]
  const topics = [bytesOf('00000001'), textOf('t'), bytesOf(partitions)]
  return frameOf(Buffer.concat([header, ...start, bytesOf(retention), ...topics]))
}

test.each([
  [2, 'ffffffffffffffff'],
  [5, '']
])('reads the member and the offsets in version %d', (version, retention) => {
  expect(readOffsetCommit(offsetCommitOf(version, retention))).toEqual({
    groupId: 'group',
    memberId: 'm',
    offsets: [
      { topic: 't', partition: 3, offset: 0x102n },
      { topic: 't', partition: 4, offset: 0x7fffffffffffffffn }
    ]
  })
})

test('rejects an OffsetCommit of another version', () => {
  expect(() => readOffsetCommit(offsetCommitOf(8, ''))).toThrow('version 8')
})

function* chunksOf(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(start, start + size)
    start += size
  }
}
