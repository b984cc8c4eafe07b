/** Tests that the headers added to dead-letter records are parsed and removed. */
import { expect, test } from '@jest/globals'
import {
  isReplay,
  originalHeadersOf,
  parseDeadLetter,
  replayHeadersOf
} from '../../../../platform/kafka/dead-letter-origin.ts'
import { aMessage } from '../../consumers/fakes.ts'

const headers = {
  traceparent: '00-x',
  dead_letter_reason: Buffer.from('undecodable'),
  dead_letter_step: 'decode',
  dead_letter_error: 'no',
  dead_letter_group: 'sluice-storage',
  dead_letter_topic: 'agent-decisions',
  dead_letter_partition: '3',
  dead_letter_offset: '9007199254740993'
}

test('parses reason, step, error, group and origin', () => {
  expect(parseDeadLetter(aMessage({ headers }))).toEqual({
    ...{ reason: 'undecodable', step: 'decode', error: 'no', group: 'sluice-storage' },
    origin: { topic: 'agent-decisions', partition: 3, offset: 9007199254740993n }
  })
})

test.each([
  ['dead_letter_reason', ''],
  ['dead_letter_group', ''],
  ['dead_letter_topic', ''],
  ['dead_letter_partition', '-1'],
  ['dead_letter_partition', '2147483648'],
  ['dead_letter_offset', '1e3'],
  ['dead_letter_offset', '']
])('returns null for %s %j', (name, value) => {
  expect(parseDeadLetter(aMessage({ headers: { ...headers, [name]: value } }))).toBeNull()
})

test('removes the dead-letter headers to restore the original ones', () => {
  expect(originalHeadersOf(aMessage({ headers }))).toEqual({ traceparent: '00-x' })
})

test('marks a replay, whose headers are the original ones again when it fails', () => {
  const replay = aMessage({ headers: replayHeadersOf(aMessage({ headers })) })
  expect([isReplay(replay), isReplay(aMessage({ headers }))]).toEqual([true, false])
  expect(originalHeadersOf(replay)).toEqual({ traceparent: '00-x' })
})
