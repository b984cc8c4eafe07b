/** Tests the command-line options of the benchmark. */
import { expect, test } from '@jest/globals'
import { attackNames, OptionError, readOptions } from '../../../bench/options.ts'

const known = ['floor', 'gateway']

test('measures every row by default', () => {
  expect(readOptions([], known)).toEqual({
    help: false,
    mode: 'compare',
    rows: known,
    only: attackNames,
    rounds: 3,
    seconds: 4,
    connections: 64,
    rate: 2000,
    decisions: 2_000_000,
    members: [1],
    against: null,
    json: null
  })
})

test('parses options', () => {
  const args = ['--rows', 'gateway', '--seconds', '2', '--json', 'a.json', '--cpu-prof']
  expect(readOptions(args, known)).toMatchObject({
    rows: ['gateway'],
    seconds: 2,
    json: 'a.json',
    mode: 'profile'
  })
})

test.each([
  [['--steady'], { mode: 'steady', seconds: 600 }],
  [['--steady', '--seconds', '60'], { mode: 'steady', seconds: 60 }],
  [['--overload'], { mode: 'overload', seconds: 20 }],
  [['--hot-agent'], { mode: 'hot-agent' }],
  [['--fairness'], { mode: 'fairness', seconds: 24 }],
  [['--fairness', '--only', 'logins,tails'], { only: ['logins', 'tails'] }],
  [['--storage'], { mode: 'storage', rounds: 3, decisions: 150_000 }],
  [['--pipeline'], { mode: 'pipeline', rounds: 2, connections: 4, decisions: 60_000 }],
  [['--pipeline', '--members', '1,2'], { mode: 'pipeline', members: [1, 2] }],
  [['--pipeline', '--against', '../before'], { mode: 'pipeline', against: '../before' }],
  [['--evaluation'], { mode: 'evaluation', rounds: 3 }],
  [['--reads', '--decisions', '20000'], { mode: 'reads', decisions: 20_000 }],
  [['--micro'], { mode: 'micro' }],
  [['--page'], { mode: 'page' }]
])('selects the mode of %j', (args, options) => {
  expect(readOptions(args, known)).toMatchObject(options)
})

test.each([
  [['--rows', 'gatway'], 'Unknown row "gatway"'],
  [['--rows', ''], 'Unknown row ""'],
  [['--fairness', '--only', 'kindness'], 'Unknown attack "kindness"'],
  [['--seconds', '0'], '--seconds is "0"'],
  [['--rate', '1e3'], '--rate is "1e3"'],
  [['--steady', '--micro'], 'Choose one mode: --steady or --micro.'],
  [['--unheard'], '--unheard']
])('rejects %j', (args, sentence) => {
  expect(() => readOptions(args, known)).toThrow(OptionError)
  expect(() => readOptions(args, known)).toThrow(sentence)
})
