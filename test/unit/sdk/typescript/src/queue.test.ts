/** Tests that the queue counts its contents and stays within its limits. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  createQueue,
  freshCount,
  offer,
  putBack,
  release,
  take,
  takeAll
} from '../../../../../sdk/typescript/src/queue.ts'
import type { Batch, Entry, QueueLimits } from '../../../../../sdk/typescript/src/queue.ts'

const limits: QueueLimits = { queueMaxItems: 5, queueMaxBytes: 100, queuePolicy: 'drop-oldest' }

function entry(sequence: number, bytes = 10): Entry {
  const ids = { decisionId: String(sequence), agentId: undefined }
  const text = 'x'.repeat(bytes)
  return { ...ids, text, bytes, sequence, attempts: 0, firstTriedAt: undefined }
}

function filled(count: number, more: Partial<QueueLimits> = {}) {
  const queue = createQueue({ ...limits, ...more })
  for (let sequence = 0; sequence < count; sequence++) offer(queue, entry(sequence))
  return queue
}

function sequences(entries: readonly Entry[] | undefined): number[] | undefined {
  return entries?.map(({ sequence }) => sequence)
}

const wide = { maxItems: 3, maxBytes: 1000 }

describe('a full queue', () => {
  test('drops the oldest waiting entry at the item limit', () => {
    const queue = filled(5)
    expect(sequences(offer(queue, entry(5)))).toEqual([0])
    expect(sequences(takeAll(queue))).toEqual([1, 2, 3, 4, 5])
  })

  test('drops old entries until the bytes of the new one fit', () => {
    expect(sequences(offer(filled(5), entry(5, 75)))).toEqual([0, 1, 2])
  })

  test('drops the new entry with drop-newest', () => {
    const queue = filled(5, { queuePolicy: 'drop-newest' })
    expect(sequences(offer(queue, entry(5)))).toEqual([5])
    expect(sequences(takeAll(queue))).toEqual([0, 1, 2, 3, 4])
  })

  test('keeps entries in flight, and evicts nothing for an entry that cannot fit', () => {
    const queue = filled(5)
    take(queue, wide, 0)
    expect(sequences(offer(queue, entry(5)))).toEqual([3])
    expect(sequences(offer(queue, entry(6, 80)))).toEqual([6])
    expect(sequences(offer(queue, entry(7, 101)))).toEqual([7])
    expect(sequences(takeAll(queue))).toEqual([4, 5])
    expect(queue).toMatchObject({ items: 3, bytes: 30, flightItems: 3, flightBytes: 30 })
  })

  test('treats batches to retry as the oldest, and gives a reduced batch a new id', () => {
    const queue = filled(5)
    const batch = take(queue, wide, 0) as Batch
    batch.id = 'first'
    putBack(queue, batch)
    expect(sequences(offer(queue, entry(5)))).toEqual([0])
    expect(take(queue, wide, 0)).toMatchObject({ id: undefined, attempt: 0 })
  })
})

describe('a batch', () => {
  test('holds entries up to its limits, and at least one', () => {
    const queue = filled(5)
    expect(sequences(take(queue, { maxItems: 9, maxBytes: 22 }, 0)?.entries)).toEqual([0, 1])
    expect(sequences(take(queue, { maxItems: 9, maxBytes: 5 }, 0)?.entries)).toEqual([2])
    expect(sequences(take(queue, wide, 0)?.entries)).toEqual([3, 4])
    expect(take(queue, wide, 0)).toBeUndefined()
  })

  test('is retried unchanged and first, but not before its time', () => {
    const queue = filled(5)
    const batch = take(queue, wide, 0) as Batch
    putBack(queue, { ...batch, id: 'first', notBefore: 10 })
    expect(sequences(take(queue, wide, 9)?.entries)).toEqual([3, 4])
    expect(take(queue, wide, 10)).toMatchObject({ id: 'first', entries: batch.entries })
  })

  test('is filled up if some of its entries are gone, and split if it is too long', () => {
    const queue = filled(5)
    const batch = take(queue, wide, 0) as Batch
    putBack(queue, { ...batch, entries: batch.entries.slice(0, 1) })
    expect(queue.flightItems).toBe(2)
    for (const gone of batch.entries.slice(1)) release(queue, gone)
    expect(sequences(take(queue, wide, 0)?.entries)).toEqual([0, 3, 4])
    const other = filled(3)
    putBack(other, { ...(take(other, wide, 0) as Batch), id: 'first' })
    const narrow = { ...wide, maxItems: 2 }
    expect(take(other, narrow, 0)).toMatchObject({ id: undefined, attempt: 0 })
    expect(sequences(take(other, narrow, 0)?.entries)).toEqual([2])
  })
})

/** Creates a queue together with a simple model of its contents. */
function createModel(queuePolicy: QueueLimits['queuePolicy']) {
  const queue = createQueue({ ...limits, queuePolicy })
  const flights: Batch[] = []
  let offered = 0
  let gone = 0
  const moves = [
    (size: number) => {
      offered++
      gone += offer(queue, entry(offered, size)).length
    },
    () => {
      const batch = take(queue, { maxItems: 2, maxBytes: 50 }, 0)
      if (batch !== undefined) flights.push(batch)
    },
    () => {
      const batch = flights.shift()
      if (batch !== undefined) putBack(queue, batch)
    },
    () => {
      const batch = flights.shift()
      batch?.entries.forEach((each) => release(queue, each))
      gone += batch?.entries.length ?? 0
    }
  ]
  return { queue, flights, moves, expected: () => offered - gone }
}

test('counts its contents correctly after any sequence of operations', () => {
  const steps = fc.array(fc.tuple(fc.nat(5), fc.nat(60)), { maxLength: 200 })
  const policies = fc.constantFrom('drop-oldest' as const, 'drop-newest' as const)
  fc.assert(
    fc.property(steps, policies, (choices, policy) => {
      const { queue, flights, moves, expected } = createModel(policy)
      for (const [choice, size] of choices) {
        moves[Math.max(0, choice - 2)]?.(size)
        const away = flights.flatMap(({ entries }) => entries)
        const back = queue.returned.flatMap(({ entries }) => entries)
        expect(queue.items).toBe(expected())
        expect(queue.items).toBe(freshCount(queue) + back.length + away.length)
        expect(queue.items).toBeLessThanOrEqual(limits.queueMaxItems)
        expect(queue.bytes).toBeLessThanOrEqual(limits.queueMaxBytes)
        expect(queue.flightItems).toBe(away.length)
      }
      for (const { entries } of flights) entries.forEach((each) => release(queue, each))
      takeAll(queue)
      expect(queue).toMatchObject({ items: 0, bytes: 0, freshBytes: 0, flightItems: 0 })
      expect(queue.flightBytes).toBe(0)
    })
  )
})
