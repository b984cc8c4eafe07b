/** What became of a message: three kinds, and the error that is none of them. */
import { expect, test } from '@jest/globals'
import { deadLetter, done, duplicate, TransientError } from '../../../core/consumed.ts'

test('done and duplicate are shared, so nobody can change them', () => {
  expect(done).toEqual({ kind: 'done' })
  expect(duplicate).toEqual({ kind: 'duplicate' })
  expect(Object.isFrozen(done)).toBe(true)
  expect(Object.isFrozen(duplicate)).toBe(true)
})

test('a dead letter says which step refused it, why, and one sentence more', () => {
  expect(deadLetter('decode', 'undecodable', 'truncated buffer')).toEqual({
    kind: 'dead_letter',
    step: 'decode',
    reason: 'undecodable',
    error: 'truncated buffer'
  })
})

test('a transient error keeps its cause', () => {
  const cause = new Error('connection refused')
  const error = new TransientError('the store is away', { cause })
  expect(error).toMatchObject({ name: 'TransientError', message: 'the store is away', cause })
})
