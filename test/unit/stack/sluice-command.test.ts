/** Our own command line, as the start uses it. */
import { expect, test } from '@jest/globals'
import { changesIn } from '../../../stack/sluice-command.ts'

test.each([
  ['created a\n  12 partitions\ncreated b\nunchanged c\n', '2 created'],
  ['applied 0001-roles\n', '1 applied'],
  ['unchanged a\nunchanged b\n', 'as before'],
  ['migrations: nothing to do\n', 'as before']
])('%j is told as %j', (output, told) => {
  expect(changesIn(output)).toBe(told)
})
