/** Tests which offsets in a broker's batches are messages and which are gaps. */
import { describe, expect, test } from '@jest/globals'
import { readBatches } from '../../../../platform/kafka/read-batches.ts'
import type {
  AbortedTransaction,
  FetchedBatch,
  FetchedRecord
} from '../../../../platform/kafka/read-batches.ts'

const transactional = 1 << 4
const control = 1 << 5

function aRecord(offsetDelta: number, overrides: Partial<FetchedRecord> = {}): FetchedRecord {
  const text = Buffer.from(`${offsetDelta}`)
  return { offsetDelta, timestampDelta: 0n, key: null, value: text, headers: [], ...overrides }
}

/** Creates a batch with records at the given offset deltas from `firstOffset`. */
function aBatch(
  firstOffset: bigint,
  deltas: number[],
  overrides: Partial<FetchedBatch> = {}
): FetchedBatch {
  return {
    firstOffset,
    lastOffsetDelta: deltas.at(-1) ?? 0,
    attributes: 0,
    firstTimestamp: 1000n,
    maxTimestamp: 2000n,
    producerId: -1n,
    records: deltas.map((delta) => aRecord(delta)),
    ...overrides
  }
}

function aMarker(firstOffset: bigint, producerId: bigint, type: 'abort' | 'commit'): FetchedBatch {
  const key = Buffer.from([0, 0, 0, type === 'abort' ? 0 : 1])
  const records = [aRecord(0, { key })]
  return aBatch(firstOffset, [0], { attributes: transactional | control, producerId, records })
}

type Options = { from?: bigint; to?: bigint; aborted?: AbortedTransaction[] }

function read(batches: FetchedBatch[], { from = 0n, to = 100n, aborted = [] }: Options = {}) {
  const fetched = readBatches(batches, { topic: 't', range: { partition: 7, from, to }, aborted })
  return {
    to: fetched.to,
    offsets: fetched.messages.map(({ offset }) => offset),
    gaps: fetched.gaps.map((gap) => `${gap.from}-${gap.to} ${gap.kind}`)
  }
}

describe('messages', () => {
  test('have their offset, time, key, value and headers', () => {
    const name = Buffer.from('traceparent')
    const headers = [
      [name, Buffer.from('old')],
      [name, Buffer.from('new')],
      [Buffer.from('empty'), null]
    ] as const
    const record = aRecord(2, { key: Buffer.from('k'), timestampDelta: 5n, headers })
    const batch = aBatch(10n, [2], { records: [record] })
    const range = { partition: 7, from: 12n, to: 13n }
    const { messages } = readBatches([batch], { topic: 't', range, aborted: [] })
    expect(messages).toEqual([
      {
        topic: 't',
        partition: 7,
        offset: 12n,
        key: Buffer.from('k'),
        value: Buffer.from('2'),
        headers: { traceparent: Buffer.from('new'), empty: '' },
        timestamp: 1005
      }
    ])
  })

  test("have the broker's timestamp if the topic is configured so", () => {
    const range = { partition: 0, from: 0n, to: 1n }
    const batch = aBatch(0n, [0], { attributes: 1 << 3 })
    expect(readBatches([batch], { topic: 't', range, aborted: [] }).messages[0]?.timestamp).toBe(
      2000
    )
  })

  test('are left out if they are outside the range', () => {
    const found = read([aBatch(0n, [0, 1, 2]), aBatch(3n, [0, 1])], { from: 1n, to: 4n })
    expect(found).toEqual({ to: 4n, offsets: [1n, 2n, 3n], gaps: [] })
  })
})

describe('gaps', () => {
  test('an empty response is an empty range', () => {
    expect(read([], { from: 5n })).toEqual({ to: 5n, offsets: [], gaps: [] })
  })

  test('before, within and after compacted records', () => {
    const found = read([aBatch(4n, [1, 3], { lastOffsetDelta: 5 })], { to: 9n })
    expect(found).toEqual({
      to: 9n,
      offsets: [5n, 7n],
      gaps: ['0-5 absent', '6-7 absent', '8-9 absent']
    })
  })

  test('an empty batch left by compaction', () => {
    expect(read([aBatch(0n, [], { lastOffsetDelta: 3 })])).toEqual({
      to: 4n,
      offsets: [],
      gaps: ['0-4 absent']
    })
  })

  test('markers and aborted transactions', () => {
    const mine = { attributes: transactional, producerId: 5n }
    const batches = [
      aBatch(0n, [0, 1], mine),
      aBatch(2n, [0]),
      aMarker(3n, 5n, 'abort'),
      aBatch(4n, [0], mine),
      aMarker(5n, 5n, 'commit')
    ]
    const aborted = [{ producerId: 5n, firstOffset: 0n }]
    expect(read(batches, { aborted })).toEqual({
      to: 6n,
      offsets: [2n, 4n],
      gaps: ['0-2 transaction', '3-4 transaction', '5-6 transaction']
    })
  })

  test('an aborted transaction whose marker is in a later response', () => {
    const mine = { attributes: transactional, producerId: 5n }
    const aborted = [{ producerId: 5n, firstOffset: 0n }]
    const found = read([aBatch(2n, [0, 1], mine)], { from: 2n, aborted })
    expect(found).toEqual({ to: 4n, offsets: [], gaps: ['2-4 transaction'] })
  })

  test('an aborted transaction whose batch the client has already removed', () => {
    const aborted = [{ producerId: 5n, firstOffset: 0n }]
    const found = read([aMarker(3n, 5n, 'abort'), aBatch(4n, [0])], { aborted })
    expect(found).toEqual({ to: 5n, offsets: [4n], gaps: ['0-4 transaction'] })
  })
})
