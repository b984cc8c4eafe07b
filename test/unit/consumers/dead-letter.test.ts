/** The record of a dead letter: the original's bytes, and why it came here. */
import { expect, test } from '@jest/globals'
import { deadLetter } from '../../../core/consumed.ts'
import { deadLetterRecord } from '../../../consumers/dead-letter.ts'
import { aMessage } from './fakes.ts'

const letter = deadLetter('decode', 'undecodable', 'truncated buffer')

test('keeps key, value and headers, and adds where it came from and why', () => {
  const message = aMessage({
    offset: 9_007_199_254_740_993n,
    value: Buffer.from([0, 255, 0]),
    headers: { decision_id: Buffer.from([1, 2]), traceparent: '00-a' }
  })
  const record = deadLetterRecord(message, letter, 'storage')
  expect(record).toEqual({
    topic: 'agent-decisions.dead-letter',
    key: message.key,
    value: message.value,
    headers: {
      decision_id: Buffer.from([1, 2]),
      traceparent: '00-a',
      dead_letter_reason: 'undecodable',
      dead_letter_step: 'decode',
      dead_letter_error: 'truncated buffer',
      dead_letter_group: 'storage',
      dead_letter_topic: 'agent-decisions',
      dead_letter_partition: '3',
      dead_letter_offset: '9007199254740993'
    }
  })
  expect(record.value).toBe(message.value)
})

test('a message without key has none here', () => {
  expect(deadLetterRecord(aMessage({ key: null }), letter, 'g').key).toBeNull()
})

test('a message without value gets an empty one, since a topic may delete what has none', () => {
  expect(deadLetterRecord(aMessage({ value: null }), letter, 'g').value).toEqual(Buffer.alloc(0))
})

test('a header of the original cannot pass for ours', () => {
  const message = aMessage({ headers: { dead_letter_reason: 'forged' } })
  const { headers } = deadLetterRecord(message, letter, 'storage')
  expect(headers['dead_letter_reason']).toBe('undecodable')
})

test('a long error is cut, so that the letter stays near the size of the original', () => {
  const long = deadLetter('decode', 'undecodable', 'x'.repeat(100_000))
  const { headers } = deadLetterRecord(aMessage(), long, 'g')
  expect(headers['dead_letter_error']).toBe('x'.repeat(1000))
})
