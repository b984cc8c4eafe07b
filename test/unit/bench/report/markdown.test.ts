/** Tables in Markdown. */
import { expect, test } from '@jest/globals'
import { markdownTable } from '../../../../bench/report/markdown.ts'

test('words go to the left and figures to the right', () => {
  expect(
    markdownTable(
      ['name', 'n'],
      [
        ['a', '10'],
        ['longer', '2']
      ],
      1
    )
  ).toBe(['| name   |  n |', '|--------|---:|', '| a      | 10 |', '| longer |  2 |'].join('\n'))
})
