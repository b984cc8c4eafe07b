/** What the arguments of `npm run test:faults` mean. */
import { expect, test } from '@jest/globals'
import { readOptions } from '../../faults/options.ts'
import { longForm } from '../../faults/settings.ts'

const known = ['broker-killed', 'redis-frozen']

test('nothing said is the long form of every fault', () => {
  const { folder, ...settings } = longForm
  expect(folder).toBeNull()
  expect(readOptions([], known)).toEqual({ help: false, judge: null, json: false, settings })
})

test('what is said is taken', () => {
  const args = ['--only', 'redis-frozen', '--seconds', '5', '--rounds', '7', '--seed', '9']
  expect(readOptions([...args, '--deadline', '3000', '--rate', '8'], known).settings).toEqual({
    only: ['redis-frozen'],
    ...{ seconds: 5, rounds: 7, rate: 8, seed: 9, deadlineMs: 3000, keep: null }
  })
})

test('ledgers are kept, and judged again', () => {
  expect(readOptions(['--keep', 'somewhere'], known).settings.keep).toBe('somewhere')
  expect(readOptions(['--judge', 'somewhere'], known).judge).toBe('somewhere')
})

test.each([
  [['--only', 'earthquake'], 'There is no fault "earthquake"; the faults are broker-killed'],
  [['--seconds', '0'], '--seconds is "0"; it is a whole number from 1 to 120.'],
  [['--rounds', '1.5'], '--rounds is "1.5"'],
  [['--loud'], "Unknown option '--loud'"]
])('%p is refused in a sentence', (args, sentence) => {
  expect(() => readOptions(args, known)).toThrow(sentence)
})
