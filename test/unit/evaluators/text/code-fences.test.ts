/** Tests that open code fences are detected and ambiguous fences count as closed. */
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
])('accepts balanced fences: %j', (text) => {
  expect(areFencesBalanced(text)).toBe(true)
})

test.each(['```\na', '~~~\na\n~~', '```\na\n```\n```js\nb', 'text\n   ```js'])(
  'detects an open fence: %j',
  (text) => {
    expect(areFencesBalanced(text)).toBe(false)
  }
)

test.each(['~~~\n```\na', '````\n```\na'])('accepts ambiguous fences: %j', (text) => {
  expect(areFencesBalanced(text)).toBe(true)
})
