/** Tests output_not_empty: empty, invisible and placeholder outputs fail; short answers pass. */
import { expect, test } from '@jest/globals'
import { outputNotEmpty } from '../../../../evaluators/heuristics/output-not-empty.ts'
import { aSubject } from '../a-subject.ts'

const empty: [string, string, RegExp][] = [
  ['nothing', '', /is empty/],
  ['whitespace', ' \t\r\n\u00a0\u3000', /whitespace/],
  ['NUL characters', '\u0000\u0000', /no visible/],
  ['zero-width characters', '\u200b\u200d\ufeff\u2060', /no visible/],
  ['soft hyphens between spaces', '\u00ad \u00ad', /no visible/],
  ['null', 'null', /placeholder/],
  ['undefined, in capitals', 'UNDEFINED', /placeholder/],
  ['an object as text', '[object Object]', /placeholder/],
  ['empty quotes', '""', /placeholder/],
  ['an ellipsis', '…', /placeholder/],
  ['an empty object without a JSON request', '{}', /placeholder/],
  ['not available', ' N/A ', /placeholder/],
  ['a template', '{{ answer }}', /placeholder/],
  ['another template', '[Your answer here]', /placeholder/],
  ['a phrase for no answer', '[No response]', /placeholder/]
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
  ['a word like none that is an answer', 'None'],
  ['no', 'No.'],
  ['an emoji', '👍'],
  ['a character of another script', '是'],
  ['an operator', '+'],
  ['a question mark', '?'],
  ['a text with NUL', 'a\u0000b'],
  ['a sentence with a placeholder in it', 'The value is null.'],
  ['a template within an answer', 'Write {{name}} into the field.']
]

test.each(answers)('passes %s', (_, output) => {
  expect(outputNotEmpty.evaluate(aSubject({ output }))).toMatchObject({ value: 1, passed: true })
})

test.each(['{}', '[]', 'null'])('passes %s if JSON was requested', (output) => {
  const subject = aSubject({ output, input: '{"response_format":{"type":"json_object"}}' })
  expect(outputNotEmpty.evaluate(subject)).toMatchObject({ passed: true })
})

test('counts code points and rounds large numbers', () => {
  const reasonOf = (output: string) => outputNotEmpty.evaluate(aSubject({ output }))
  expect(reasonOf('👍👍')).toMatchObject({ reason: 'The output has 2 characters.' })
  expect(reasonOf('x')).toMatchObject({ reason: 'The output has 1 character.' })
  expect(reasonOf('x'.repeat(31_700))).toMatchObject({
    reason: 'The output has about 32,000 characters.'
  })
})
