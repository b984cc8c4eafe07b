/** Tests the heap limit of workers: a share of the primary's, unless the operator has set a limit.
 */
import { expect, test } from '@jest/globals'
import { workerHeapArgs } from '../../../../gateway/cluster/worker-heap.ts'

const mebibyte = 1024 * 1024
const primary = { limitBytes: 4288 * mebibyte, execArgv: ['--enable-source-maps'], nodeOptions: '' }

test.each([
  [1, 4288],
  [4, 1072],
  [7, 612],
  [64, 256]
])('of %d workers, each gets %d MB', (workers, megabytes) => {
  expect(workerHeapArgs(workers, primary)).toEqual([`--max-old-space-size=${megabytes}`])
})

test.each([
  ['the command line', { execArgv: ['--max-old-space-size=300'] }],
  ['the command line, with underscores,', { execArgv: ['--max_old_space_size=300'] }],
  ['NODE_OPTIONS', { nodeOptions: '--trace-warnings --max-old-space-size=300' }]
])('a limit from %s applies to each worker', (_of, set) => {
  expect(workerHeapArgs(4, { ...primary, ...set })).toEqual([])
})
