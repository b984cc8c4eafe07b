/** A reason is split so that nothing of it is lost. */
import { expect, test } from '@jest/globals'
import { templateOf } from '../../../../core/evaluation/reason-template.ts'

test.each([
  ['The output is valid JSON.', 'The output is valid JSON.', null],
  ['The output has 391 characters.', 'The output has # characters.', '391'],
  ['45 % of its first 20,000 words', '# % of its first #,# words', '45 20 000'],
  ['-0.5 is below 007', '-#.# is below #', '0 5 007'],
  ['', '', null]
])('%j', (sentence, template, numbers) => {
  expect(templateOf(sentence)).toEqual({ template, numbers })
})

test('a sentence that contains the sign itself has no template', () => {
  expect(templateOf('Issue #7 has 2 parts.')).toBeNull()
})
