/** Tests the summary of a command's output. */
import { expect, test } from '@jest/globals'
import { changesIn } from '../../../stack/sluice-command.ts'

test.each([
  ['created a\n  12 partitions\ncreated b\nunchanged c\n', '2 created'],
  ['applied 0001-roles\n', '1 applied'],
  ['unchanged a\nunchanged b\n', 'unchanged'],
  ['migrations: nothing to do\n', 'unchanged']
])('summarizes %j as %j', (output, summary) => {
  expect(changesIn(output)).toBe(summary)
})
