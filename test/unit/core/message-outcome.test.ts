/** Tests the outcomes of a message, and transient errors. */
import { expect, test } from '@jest/globals'
import { deadLetter, done, duplicate, TransientError } from '../../../core/message-outcome.ts'

test('done and duplicate are shared and frozen', () => {
  expect(done).toEqual({ kind: 'done' })
  expect(duplicate).toEqual({ kind: 'duplicate' })
  expect(Object.isFrozen(done)).toBe(true)
  expect(Object.isFrozen(duplicate)).toBe(true)
})

test('a dead letter has its step, its reason and a sentence', () => {
  expect(deadLetter('decode', 'undecodable', 'truncated buffer')).toEqual({
    kind: 'dead_letter',
    step: 'decode',
    reason: 'undecodable',
    error: 'truncated buffer'
  })
})

test('a transient error keeps its cause', () => {
  const cause = new Error('connection refused')
  const error = new TransientError('the database is unavailable', { cause })
  expect(error).toMatchObject({
    name: 'TransientError',
    message: 'the database is unavailable',
    cause
  })
})
