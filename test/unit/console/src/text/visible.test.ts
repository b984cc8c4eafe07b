/** Tests that text cannot hide characters or change the direction of the page. */
import { expect, test } from '@jest/globals'
import { visible } from '../../../../../console/src/text/visible.ts'

test.each([
  ['plain é 😀 مرحبا', 'plain é 😀 مرحبا'],
  ['a\u202eb\u2066c', 'a⟨RLO⟩b⟨LRI⟩c'],
  ['a\u0000\u001b[31m\u200b', 'a⟨NUL ESC⟩[31m⟨ZWSP⟩'],
  ['two\r\n\tlines', 'two lines']
])('%j', (text, shown) => {
  expect(visible(text)).toBe(shown)
})
