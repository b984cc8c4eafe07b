/** Tests the dead-letter limit, which counts dead-lettered messages at nearby offsets, except
 * conflicts.
 */
import { describe, expect, test } from '@jest/globals'
import { deadLetter, done, duplicate } from '../../../core/message-outcome.ts'
import type { MessageOutcome } from '../../../core/message-outcome.ts'
import { createDeadLetterLimit } from '../../../consumers/dead-letter-limit.ts'
import { PartitionPause } from '../../../consumers/partition-pause.ts'
import { replayHeadersOf } from '../../../platform/kafka/dead-letter-origin.ts'
import type { Message } from '../../../platform/kafka/message-consumer.ts'
import { aMessage } from './fakes.ts'

const poison = deadLetter('decode', 'undecodable', 'no text')
const conflict = deadLetter('store', 'id_conflict', 'taken')
const kinds: Record<string, MessageOutcome> = { '.': done, '=': duplicate, x: poison, c: conflict }

/**
 * Creates a batch with a message per character: `.` is done, `=` a duplicate, `x` poison, and `c` a
 * conflict.
 */
function batchOf(drawn: string, { first = 0n, partition = 3 } = {}) {
  const outcomes = [...drawn].map((sign) => kinds[sign] ?? done)
  const messages = outcomes.map((_, index) =>
    aMessage({ offset: first + BigInt(index), partition })
  )
  return [messages, outcomes] as [Message[], MessageOutcome[]]
}

/**
 * Checks the batches in order. Returns the offset at which the last one is paused, or null. Fails
 * if an earlier batch is paused.
 */
function pauseOffsetOf(max: number, ...batches: string[]): bigint | null {
  const deadLetterLimit = createDeadLetterLimit(max)
  let first = 0n
  for (const [index, drawn] of batches.entries()) {
    const [messages, outcomes] = batchOf(drawn, { first })
    first += BigInt(drawn.length)
    try {
      deadLetterLimit.check(messages, outcomes)
      deadLetterLimit.remember(messages, outcomes)
    } catch (error) {
      expect(index).toBe(batches.length - 1)
      return (error as PartitionPause).offset
    }
  }
  return null
}

describe('with 3 of 6', () => {
  test.each([
    ['one bad message among good ones', ['..x...'], null],
    ['a short batch of bad messages only', ['xx'], null],
    ['a partition with two messages, both bad', ['x', 'x'], null],
    ['three in a row', ['..xxx'], 2n],
    ['three in a row over batches', ['xx', 'x'], 2n],
    ['half of them', ['.x.x.x'], 1n],
    ['less than half of them', ['x..x..x..x..x'], null],
    ['half of them over batches, some of them settled', ['.x.x', '.x'], 5n],
    ['old ones, followed by many good ones', ['xx', '......', 'xx', '......', 'xx'], null],
    ['duplicates count as good', ['x==x==x=='], null],
    ['the limit in the middle of a batch', ['.....xx.x.....'], 5n],
    ['only conflicts', ['cccccccccc'], null],
    ['conflicts do not hide the limit', ['xccccccxccccccx'], 0n]
  ])('%s', (_what, batches, offset) => {
    expect(pauseOffsetOf(3, ...batches)).toBe(offset)
  })
})

test('pauses at the first bad message with a limit of 1', () => {
  expect(pauseOffsetOf(1, '..', '..x')).toBe(4n)
})

test('never pauses with a limit of 0', () => {
  expect(pauseOffsetOf(0, 'x'.repeat(1000), 'x'.repeat(1000))).toBeNull()
})

test('does not count erased messages', () => {
  const deadLetterLimit = createDeadLetterLimit(2)
  const erased = { kind: 'erased' }
  const [messages] = batchOf('......')
  const outcomes = [poison, erased, erased, erased, erased, poison]
  expect(() => deadLetterLimit.check(messages, outcomes)).toThrow(PartitionPause)
  expect(() => deadLetterLimit.check(messages, outcomes.slice(0, 5))).not.toThrow()
})

test('does not count replays of an organization', () => {
  const deadLetterLimit = createDeadLetterLimit(2)
  const [messages, outcomes] = batchOf('xxxx')
  const headers = replayHeadersOf(aMessage())
  const replays = messages.map((message) => ({ ...message, headers }))
  expect(() => deadLetterLimit.check(messages, outcomes)).toThrow(PartitionPause)
  expect(() => deadLetterLimit.check(replays, outcomes)).not.toThrow()
})

test('counts each partition separately', () => {
  const deadLetterLimit = createDeadLetterLimit(2)
  const [messages, outcomes] = batchOf('x', { partition: 1 })
  deadLetterLimit.remember(messages, outcomes)
  expect(() => deadLetterLimit.check(...batchOf('x', { partition: 2 }))).not.toThrow()
  expect(() => deadLetterLimit.check(...batchOf('x', { partition: 1 }))).toThrow(PartitionPause)
})

test('reaches the same limit again when the same batch is checked again', () => {
  const deadLetterLimit = createDeadLetterLimit(2)
  for (let check = 0; check < 3; check++) {
    expect(() => deadLetterLimit.check(...batchOf('.xx'))).toThrow(PartitionPause)
  }
})

test('reports the number of dead-lettered messages and their reasons', () => {
  const deadLetterLimit = createDeadLetterLimit(3)
  const [messages] = batchOf('....')
  const unknown = deadLetter('decode', 'unknown_schema', 'schema id 9 does not exist')
  try {
    deadLetterLimit.check(messages, [done, poison, unknown, unknown])
    throw new Error('not paused')
  } catch (error) {
    expect(error).toMatchObject({
      offset: 1n,
      fields: { dead_letters: 3, messages: 4, reasons: { undecodable: 1, unknown_schema: 2 } }
    })
    expect((error as Error).message).toContain('DEAD_LETTERS_MAX')
  }
})
