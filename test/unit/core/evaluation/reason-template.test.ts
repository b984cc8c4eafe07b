/** Tests that splitting a reason into a template and numbers loses nothing. */
import { expect, test } from '@jest/globals'
import { splitReason } from '../../../../core/evaluation/reason-template.ts'

test.each([
  ['The output is valid JSON.', 'The output is valid JSON.', null],
  ['The output has 391 characters.', 'The output has # characters.', '391'],
  ['45 % of its first 20,000 words', '# % of its first #,# words', '45 20 000'],
  ['-0.5 is below 007', '-#.# is below #', '0 5 007'],
  ['', '', null]
])('splits %j into a template and numbers', (sentence, template, numbers) => {
  expect(splitReason(sentence)).toEqual({ template, numbers })
})

test('a sentence that contains # has no template', () => {
  expect(splitReason('Issue #7 has 2 parts.')).toBeNull()
})
