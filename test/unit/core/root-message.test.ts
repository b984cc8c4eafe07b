/** Tests that the root message includes causes without repetition, and has a limited length. */
import { expect, test } from '@jest/globals'
import { rootMessageOf } from '../../../core/root-message.ts'

test.each<[string, unknown, string]>([
  ['a lone error', new Error('away'), 'away'],
  ['a chain', new Error('a', { cause: new Error('b', { cause: new Error('c') }) }), 'a: b: c'],
  ['repeated messages', new Error('a', { cause: new Error('a') }), 'a'],
  ['several errors', new AggregateError([new Error('b'), new Error('c')], 'a'), 'a: b'],
  ['no message', new AggregateError([new Error('refused')]), 'refused'],
  ['not an error', 'text', 'text']
])('%s', (_, error, message) => {
  expect(rootMessageOf(error)).toBe(message)
})

test('ends for errors that cause each other', () => {
  const [a, b] = [new Error('a'), new Error('b')]
  a.cause = b
  b.cause = a
  expect(rootMessageOf(a)).toBe('a: b')
})
