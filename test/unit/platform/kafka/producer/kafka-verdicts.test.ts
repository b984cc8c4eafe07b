/** What an answer, or an error as the client really throws it, says of a record. */
import { expect, test } from '@jest/globals'
import { MultipleErrors, NetworkError, TimeoutError, UserError } from '@platformatic/kafka'
import {
  nameOfCode,
  verdictOfCode,
  verdictOfError
} from '../../../../../platform/kafka/producer/kafka-verdicts.ts'

test.each([
  [0, 'NONE', 'acknowledged'],
  [2, 'CORRUPT_MESSAGE', 'unknown'],
  [3, 'UNKNOWN_TOPIC_OR_PARTITION', 'unknown'],
  [6, 'NOT_LEADER_OR_FOLLOWER', 'unknown'],
  [7, 'REQUEST_TIMED_OUT', 'unknown'],
  [10, 'MESSAGE_TOO_LARGE', 'divisible'],
  [18, 'RECORD_LIST_TOO_LARGE', 'divisible'],
  [19, 'NOT_ENOUGH_REPLICAS', 'unknown'],
  [29, 'TOPIC_AUTHORIZATION_FAILED', 'refused'],
  [32, 'INVALID_TIMESTAMP', 'divisible'],
  [87, 'INVALID_RECORD', 'divisible']
])('code %d, %s, is %s', (code, name, verdict) => {
  expect(verdictOfCode(code)).toBe(verdict)
  expect(nameOfCode(code)).toBe(name)
})

test('of a partition that the answer leaves out nobody knows', () => {
  expect(verdictOfCode(undefined)).toBe('unknown')
})

test('a code of the future is unknown, and named by its number', () => {
  expect(verdictOfCode(9999)).toBe('unknown')
  expect(nameOfCode(9999)).toBe('error 9999')
})

test.each([
  ['the network', new NetworkError('gone')],
  ['a time-out', new TimeoutError('late')],
  ['several', new MultipleErrors('all', [new NetworkError('gone'), new TimeoutError('late')])],
  ['anything else', new TypeError('odd')]
])('after %s nobody knows', (_what, error) => {
  expect(verdictOfError(error)).toBe('unknown')
})

test('what the client itself calls final is refused, however deep it stands', () => {
  const final = new UserError('no such mechanism')
  expect(verdictOfError(final)).toBe('refused')
  expect(verdictOfError(new MultipleErrors('all', [new NetworkError('gone'), final]))).toBe(
    'refused'
  )
})
