/** output_not_empty: nothing, nothing visible and placeholders fail; short answers are answers. */
import { expect, test } from '@jest/globals'
import { outputNotEmpty } from '../../../../evaluators/heuristics/output-not-empty.ts'
import { aSubject } from '../a-subject.ts'

const empty: [string, string, RegExp][] = [
  ['nothing', '', /0 characters/],
  ['white space', ' \t\r\n\u00a0\u3000', /white space/],
  ['NUL characters', '\u0000\u0000', /no visible/],
  ['zero-width characters', '\u200b\u200d\ufeff\u2060', /no visible/],
  ['soft hyphens between spaces', '\u00ad \u00ad', /no visible/],
  ['null', 'null', /placeholder/],
  ['undefined, in capitals', 'UNDEFINED', /placeholder/],
  ['an object as text', '[object Object]', /placeholder/],
  ['empty quotes', '""', /placeholder/],
  ['an ellipsis', '…', /placeholder/],
  ['an empty object nobody asked for', '{}', /placeholder/],
  ['not available', ' N/A ', /placeholder/],
  ['a template', '{{ answer }}', /placeholder/],
  ['another template', '[Your answer here]', /placeholder/],
  ['words for nothing', '[No response]', /placeholder/]
]

test.each(empty)('fails %s', (_, output, reason) => {
  expect(outputNotEmpty.evaluate(aSubject({ output }))).toMatchObject({
    kind: 'finding',
    data_type: 'boolean',
    value: 0,
    passed: false,
    reason: expect.stringMatching(reason)
  })
})

const answers: [string, string][] = [
  ['a digit', '0'],
  ['a word for nothing that is an answer', 'None'],
  ['no', 'No.'],
  ['an emoji', '👍'],
  ['a character of another script', '是'],
  ['an operator', '+'],
  ['a question mark', '?'],
  ['text with NUL in it', 'a\u0000b'],
  ['a sentence with a placeholder in it', 'The value is null.'],
  ['a template within an answer', 'Write {{name}} into the field.']
]

test.each(answers)('passes %s', (_, output) => {
  expect(outputNotEmpty.evaluate(aSubject({ output }))).toMatchObject({ value: 1, passed: true })
})

test.each(['{}', '[]', 'null'])('passes %s where JSON was asked for', (output) => {
  const subject = aSubject({ output, input: '{"response_format":{"type":"json_object"}}' })
  expect(outputNotEmpty.evaluate(subject)).toMatchObject({ passed: true })
})

test('counts code points, and does not pretend to know a large number exactly', () => {
  const reasonOf = (output: string) => outputNotEmpty.evaluate(aSubject({ output }))
  expect(reasonOf('👍👍')).toMatchObject({ reason: 'The output has 2 characters.' })
  expect(reasonOf('x')).toMatchObject({ reason: 'The output has 1 character.' })
  expect(reasonOf('x'.repeat(31_700))).toMatchObject({
    reason: 'The output has about 32,000 characters.'
  })
})
