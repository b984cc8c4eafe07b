/** Tests the result of a record after a response, or after an error that the client actually
 * throws.
 */
import { expect, test } from '@jest/globals'
import { MultipleErrors, NetworkError, TimeoutError, UserError } from '@platformatic/kafka'
import {
  nameOfCode,
  resultOfCode,
  resultOfError
} from '../../../../../platform/kafka/producer/kafka-produce-results.ts'

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
  expect(resultOfCode(code)).toBe(verdict)
  expect(nameOfCode(code)).toBe(name)
})

test('a partition without a response is unknown', () => {
  expect(resultOfCode(undefined)).toBe('unknown')
})

test('an undefined code is unknown, and named by its number', () => {
  expect(resultOfCode(9999)).toBe('unknown')
  expect(nameOfCode(9999)).toBe('error 9999')
})

test.each([
  ['a network error', new NetworkError('gone')],
  ['a time-out', new TimeoutError('late')],
  ['several', new MultipleErrors('all', [new NetworkError('gone'), new TimeoutError('late')])],
  ['any other error', new TypeError('odd')]
])('the result is unknown after %s', (_what, error) => {
  expect(resultOfError(error)).toBe('unknown')
})

test('an error that the client marks as final is a rejection, at any depth', () => {
  const final = new UserError('no such mechanism')
  expect(resultOfError(final)).toBe('refused')
  expect(resultOfError(new MultipleErrors('all', [new NetworkError('gone'), final]))).toBe(
    'refused'
  )
})
