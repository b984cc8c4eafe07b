/** Tests the dead-letter record: the original message, its position and the reason. */
import { expect, test } from '@jest/globals'
import { deadLetter } from '../../../core/message-outcome.ts'
import { deadLetterRecord } from '../../../consumers/dead-letter.ts'
import { aMessage } from './fakes.ts'

const outcome = deadLetter('decode', 'undecodable', 'truncated buffer')

test('keeps key, value and headers, and adds position and reason', () => {
  const message = aMessage({
    offset: 9_007_199_254_740_993n,
    value: Buffer.from([0, 255, 0]),
    headers: { decision_id: Buffer.from([1, 2]), traceparent: '00-a' }
  })
  const record = deadLetterRecord(message, outcome, 'storage')
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

test('keeps the key of a message without a key null', () => {
  expect(deadLetterRecord(aMessage({ key: null }), outcome, 'g').key).toBeNull()
})

test('writes an empty value instead of null, which compaction would delete', () => {
  expect(deadLetterRecord(aMessage({ value: null }), outcome, 'g').value).toEqual(Buffer.alloc(0))
})

test('replaces forged dead-letter headers of the original', () => {
  const message = aMessage({ headers: { dead_letter_reason: 'forged' } })
  const { headers } = deadLetterRecord(message, outcome, 'storage')
  expect(headers['dead_letter_reason']).toBe('undecodable')
})

test('truncates a long error, so that the record stays near the size of the original', () => {
  const long = deadLetter('decode', 'undecodable', 'x'.repeat(100_000))
  const { headers } = deadLetterRecord(aMessage(), long, 'g')
  expect(headers['dead_letter_error']).toBe('x'.repeat(1000))
})
