/** The reason at the bottom of an error is told, without repetition and without end. */
import { expect, test } from '@jest/globals'
import { rootMessageOf } from '../../../core/root-message.ts'

test.each<[string, unknown, string]>([
  ['a lone error', new Error('away'), 'away'],
  ['a chain', new Error('a', { cause: new Error('b', { cause: new Error('c') }) }), 'a: b: c'],
  ['the same words again', new Error('a', { cause: new Error('a') }), 'a'],
  ['several at once', new AggregateError([new Error('b'), new Error('c')], 'a'), 'a: b'],
  ['no words', new AggregateError([new Error('refused')]), 'refused'],
  ['no error', 'text', 'text']
])('%s', (_, error, message) => {
  expect(rootMessageOf(error)).toBe(message)
})

test('errors that cause each other end', () => {
  const [a, b] = [new Error('a'), new Error('b')]
  a.cause = b
  b.cause = a
  expect(rootMessageOf(a)).toBe('a: b')
})
