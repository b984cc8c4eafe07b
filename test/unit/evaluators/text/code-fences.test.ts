/** Code fences: an open one is seen, and doubt counts for the text. */
import { expect, test } from '@jest/globals'
import { areFencesBalanced } from '../../../../evaluators/text/code-fences.ts'

test.each([
  'no code',
  '```\na\n```',
  '~~~ py\na\n~~~',
  '````\n```\n````',
  '> ```\n> a\n> ```',
  'a `` ` `` b',
  '```inline```'
])('balanced: %j', (text) => {
  expect(areFencesBalanced(text)).toBe(true)
})

test.each(['```\na', '~~~\na\n~~', '```\na\n```\n```js\nb', 'text\n   ```js'])(
  'open: %j',
  (text) => {
    expect(areFencesBalanced(text)).toBe(false)
  }
)

test.each(['~~~\n```\na', '````\n```\na'])('too odd to tell, so it passes: %j', (text) => {
  expect(areFencesBalanced(text)).toBe(true)
})
