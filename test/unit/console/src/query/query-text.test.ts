/** Tests that editing one field of the query keeps the other terms as typed. */
import { expect, test } from '@jest/globals'
import {
  fieldOf,
  quoteValue,
  termsOf,
  withField
} from '../../../../../console/src/query/query-text.ts'

test('replaces, adds and removes a field', () => {
  const text = 'agent:"a b"  verdict:fail,mixed late'
  expect(withField(text, 'verdict', 'pass')).toBe('agent:"a b" late verdict:pass')
  expect(withField(text, 'status', 'failed')).toBe(
    'agent:"a b" verdict:fail,mixed late status:failed'
  )
  expect(withField(text, 'verdict', '')).toBe('agent:"a b" late')
  expect(fieldOf(text, 'agent')).toBe('a b')
  expect(fieldOf(text, 'status')).toBe('')
})

test.each(['plain', 'two words', 'a "quote"', String.raw`back\slash`, ''])(
  'a value is read as it was written: %s',
  (value) => {
    expect(termsOf(`agent:${quoteValue(value)}`)[0]?.value).toBe(value)
  }
)

test('a field with a colon in its name is read as it was written', () => {
  const [term] = termsOf(`score.${quoteValue('style: tone')}:exists`)
  expect([term?.field, term?.value]).toEqual(['score.style: tone', 'exists'])
  expect(termsOf(`score.${quoteValue('a:b')}:exists`)[0]?.field).toBe('score.a:b')
})
