/** Tests the command line of `npm run test:faults`. */
import { expect, test } from '@jest/globals'
import { readOptions } from '../../faults/options.ts'
import { longForm } from '../../faults/settings.ts'

const known = ['broker-killed', 'redis-frozen']

test('defaults to the long form of every fault', () => {
  const { folder, ...settings } = longForm
  expect(folder).toBeNull()
  expect(readOptions([], known)).toEqual({ help: false, check: null, json: false, settings })
})

test('reads options', () => {
  const args = ['--only', 'redis-frozen', '--seconds', '5', '--rounds', '7', '--seed', '9']
  expect(readOptions([...args, '--deadline', '3000', '--rate', '8'], known).settings).toEqual({
    only: ['redis-frozen'],
    ...{ seconds: 5, rounds: 7, rate: 8, seed: 9, deadlineMs: 3000, keep: null }
  })
})

test('reads the folders to keep and to check', () => {
  expect(readOptions(['--keep', 'somewhere'], known).settings.keep).toBe('somewhere')
  expect(readOptions(['--check', 'somewhere'], known).check).toBe('somewhere')
})

test.each([
  [['--only', 'earthquake'], 'Unknown fault "earthquake". Allowed: broker-killed'],
  [['--seconds', '0'], '--seconds is "0"; it must be a whole number from 1 to 120.'],
  [['--rounds', '1.5'], '--rounds is "1.5"'],
  [['--loud'], "Unknown option '--loud'"]
])('rejects %p', (args, sentence) => {
  expect(() => readOptions(args, known)).toThrow(sentence)
})
