/** Tests that a subject reads any input and computes values on demand. */
import { expect, test } from '@jest/globals'
import { subjectOf } from '../../../evaluators/subject.ts'
import { aDecision } from '../../support/builders.ts'
import { aSubject } from './a-subject.ts'

test('computes each value once', () => {
  const subject = aSubject({ output: 'One two three four five six seven' })
  expect(subject.outputPhrases()).toBe(subject.outputPhrases())
  expect(subject.inputText()).toBe(subject.inputText())
  expect(subject.inputValue()).toBe(subject.inputValue())
})

test('does not read input or metadata until needed', () => {
  const touched: string[] = []
  const decision = new Proxy(aDecision(), {
    get: (target, name) => {
      touched.push(String(name))
      return Reflect.get(target, name) as unknown
    }
  })
  const subject = subjectOf(decision)
  expect(touched).toEqual(['output'])
  subject.inputText()
  expect(touched).toContain('input')
  expect(touched).not.toContain('metadata')
})

const inputs: [string, unknown, [all: string, request: string]][] = [
  ['a text', 'Where is it?', ['Where is it?', 'where is it?']],
  [
    'messages',
    {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'First?' },
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: [{ type: 'text', text: 'Second?' }] }
      ]
    },
    ['Be kind.\nFirst?\nYes.\nSecond?', 'second?']
  ],
  ['messages of another vendor', [{ type: 'human', content: 'Hi' }], ['Hi', 'hi']],
  ['parts', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }, ['Hi', 'hi']],
  [
    'a message that is a string',
    { input: 'Hi', instructions: 'Be kind.' },
    ['Hi\nBe kind.', 'hi\nbe kind.']
  ],
  ['a question with context', { context: 'A', question: 'B?' }, ['A\nB?', 'b?']],
  ['nested fields', { a: { b: ['x', { c: 'y' }] }, d: 'z' }, ['x\ny\nz', 'x\ny\nz']],
  ['no text', { a: 1, b: null }, ['', '']],
  ['null', null, ['', '']]
]

test.each(inputs)('reads %s', (_, input, [all, request]) => {
  const text = aSubject({ input: JSON.stringify(input) }).inputText()
  expect(text).toMatchObject({ all, isCut: false })
  expect(text.lowerRequest()).toBe(request)
})

test('reads the beginning of an input that is too large to parse', () => {
  const subject = aSubject({ input: JSON.stringify(`Answer. ${'x'.repeat(300_000)}`) })
  expect(subject.inputValue()).toBeUndefined()
  expect(subject.inputText().all.slice(0, 8)).toBe('"Answer.')
  expect(subject.inputText().all).toHaveLength(32_768)
})

test('reads a bounded part of an input with a large number of values', () => {
  const input = JSON.stringify(Array.from({ length: 100_000 }, () => 'x'))
  const text = aSubject({
    input: input.slice(0, 200_000).replace(/,"?x?"?$/, '') + ']'
  }).inputText()
  expect(text.isCut).toBe(true)
  expect(text.all.length).toBeLessThanOrEqual(4000)
})

test('reads an input nested as deeply as a parser allows', () => {
  const input = `${'['.repeat(5000)}"deep"${']'.repeat(5000)}`
  expect(aSubject({ input }).inputText().isCut).toBe(true)
})

test('reads an input that is not JSON as text', () => {
  expect(aSubject({ input: 'not JSON' }).inputText().all).toBe('not JSON')
})

test('decodes escaped names of the input', () => {
  const input = String.raw`{"promp\u0073":"no","promp\u0074":"Where is my parcel?"}`
  expect(aSubject({ input }).inputText().lowerRequest()).toBe('where is my parcel?')
})
