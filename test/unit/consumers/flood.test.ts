/** A flood: many dead letters close together, and nothing that a caller can cause. */
import { describe, expect, test } from '@jest/globals'
import { deadLetter, done, duplicate } from '../../../core/consumed.ts'
import type { Consumed } from '../../../core/consumed.ts'
import { createFlood } from '../../../consumers/flood.ts'
import { PartitionStop } from '../../../consumers/partition-stop.ts'
import type { Message } from '../../../platform/kafka/message-consumer.ts'
import { aMessage } from './fakes.ts'

const poison = deadLetter('decode', 'undecodable', 'no text')
const conflict = deadLetter('store', 'id_conflict', 'taken')
const kinds: Record<string, Consumed> = { '.': done, '=': duplicate, x: poison, c: conflict }

/** A batch drawn as text: . done, = duplicate, x poison, c conflict. */
function batchOf(drawn: string, { first = 0n, partition = 3 } = {}) {
  const outcomes = [...drawn].map((sign) => kinds[sign] ?? done)
  const messages = outcomes.map((_, index) =>
    aMessage({ offset: first + BigInt(index), partition })
  )
  return [messages, outcomes] as [Message[], Consumed[]]
}

/** The offset at which the last of the batches is stopped; the others are settled. */
function stopOf(max: number, ...batches: string[]): bigint | null {
  const flood = createFlood(max)
  let first = 0n
  for (const [index, drawn] of batches.entries()) {
    const [messages, outcomes] = batchOf(drawn, { first })
    first += BigInt(drawn.length)
    try {
      flood.check(messages, outcomes)
      flood.remember(messages, outcomes)
    } catch (error) {
      expect(index).toBe(batches.length - 1)
      return (error as PartitionStop).offset
    }
  }
  return null
}

describe('with 3 of 6', () => {
  test.each([
    ['one poison among good ones', ['..x...'], null],
    ['a batch that is all poison, and short', ['xx'], null],
    ['a partition with two messages, both poison', ['x', 'x'], null],
    ['three in a row', ['..xxx'], 2n],
    ['three in a row over batches', ['xx', 'x'], 2n],
    ['half of them', ['.x.x.x'], 1n],
    ['less than half of them', ['x..x..x..x..x'], null],
    ['half of them over batches, of which some are settled', ['.x.x', '.x'], 5n],
    ['old ones, long followed by good ones', ['xx', '......', 'xx', '......', 'xx'], null],
    ['duplicates are good ones', ['x==x==x=='], null],
    ['a flood in the middle', ['.....xx.x.....'], 5n],
    ['conflicts alone', ['cccccccccc'], null],
    ['conflicts cannot hide a flood either', ['xccccccxccccccx'], 0n]
  ])('%s', (_what, batches, offset) => {
    expect(stopOf(3, ...batches)).toBe(offset)
  })
})

test('with 1 the first poison is a flood', () => {
  expect(stopOf(1, '..', '..x')).toBe(4n)
})

test('with 0 nothing is', () => {
  expect(stopOf(0, 'x'.repeat(1000), 'x'.repeat(1000))).toBeNull()
})

test('erased messages say nothing about it', () => {
  const flood = createFlood(2)
  const erased = { kind: 'erased' }
  const [messages] = batchOf('......')
  const outcomes = [poison, erased, erased, erased, erased, poison]
  expect(() => flood.check(messages, outcomes)).toThrow(PartitionStop)
  expect(() => flood.check(messages, outcomes.slice(0, 5))).not.toThrow()
})

test('every partition has its own', () => {
  const flood = createFlood(2)
  const [messages, outcomes] = batchOf('x', { partition: 1 })
  flood.remember(messages, outcomes)
  expect(() => flood.check(...batchOf('x', { partition: 2 }))).not.toThrow()
  expect(() => flood.check(...batchOf('x', { partition: 1 }))).toThrow(PartitionStop)
})

test('a look changes nothing, so that the same flood is found again', () => {
  const flood = createFlood(2)
  for (let look = 0; look < 3; look++) {
    expect(() => flood.check(...batchOf('.xx'))).toThrow(PartitionStop)
  }
})

test('it says how many there are and why', () => {
  const flood = createFlood(3)
  const [messages] = batchOf('....')
  const unknown = deadLetter('decode', 'unknown_schema', 'no schema has id 9')
  try {
    flood.check(messages, [done, poison, unknown, unknown])
    throw new Error('not stopped')
  } catch (error) {
    expect(error).toMatchObject({
      offset: 1n,
      fields: { dead_letters: 3, messages: 4, reasons: { undecodable: 1, unknown_schema: 2 } }
    })
    expect((error as Error).message).toContain('DEAD_LETTERS_FLOOD_MAX')
  }
})
