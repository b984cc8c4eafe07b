/** The headers of a dead letter, as the groups write them and as anyone may. */
import { expect, test } from '@jest/globals'
import { letterOf, originalHeadersOf } from '../../../../cli/records/letter.ts'
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

test('what they say', () => {
  expect(letterOf(aMessage({ headers }))).toEqual({
    ...{ reason: 'undecodable', step: 'decode', error: 'no', group: 'sluice-storage' },
    origin: { topic: 'agent-decisions', partition: 3, offset: 9007199254740993n }
  })
})

test.each([
  ['dead_letter_reason', ''],
  ['dead_letter_group', ''],
  ['dead_letter_topic', ''],
  ['dead_letter_partition', '-1'],
  ['dead_letter_offset', '1e3'],
  ['dead_letter_offset', '']
])('%s %j is of no dead letter of ours', (name, value) => {
  expect(letterOf(aMessage({ headers: { ...headers, [name]: value } }))).toBeNull()
})

test('the headers of the original are those that are not ours', () => {
  expect(originalHeadersOf(aMessage({ headers }))).toEqual({ traceparent: '00-x' })
})
