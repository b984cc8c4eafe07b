/** The command line of a benchmark. */
import { expect, test } from '@jest/globals'
import { OptionError, readOptions } from '../../../bench/options.ts'

const known = ['floor', 'gateway']

test('measures every row when nothing is asked', () => {
  expect(readOptions([], known)).toEqual({
    help: false,
    rows: known,
    rounds: 3,
    seconds: 5,
    connections: 64,
    rate: 2000,
    json: null,
    isProfiling: false
  })
})

test('takes what is asked', () => {
  const args = ['--rows', 'gateway', '--seconds', '2', '--json', 'a.json', '--cpu-prof']
  expect(readOptions(args, known)).toMatchObject({
    rows: ['gateway'],
    seconds: 2,
    json: 'a.json',
    isProfiling: true
  })
})

test.each([
  [['--rows', 'gatway'], 'no row "gatway"'],
  [['--rows', ''], 'no row ""'],
  [['--seconds', '0'], '--seconds is "0"'],
  [['--rate', '1e3'], '--rate is "1e3"'],
  [['--unheard'], '--unheard']
])('refuses %j', (args, sentence) => {
  expect(() => readOptions(args, known)).toThrow(OptionError)
  expect(() => readOptions(args, known)).toThrow(sentence)
})
