/** Tests the extraction of the first code block. */
import { expect, test } from '@jest/globals'
import { codeBlockOf } from '../../../../evaluators/text/code-block.ts'

test.each<[string, string, string | null]>([
  ['one in the middle', 'a\n```json\n{"a":1}\n```\nb', '{"a":1}'],
  ['the first of two', '```\n1\n```\n```\n2\n```', '1'],
  ['one with tildes', '~~~\nx\n~~~', 'x'],
  ['fences within a longer fence', '````\n```\nx\n```\n````', '```\nx\n```'],
  ['an empty one', '```\n```', ''],
  ['an unclosed one', '```\nx', null],
  ['none', 'x', null]
])('%s', (_, text, block) => {
  expect(codeBlockOf(text)).toBe(block)
})
