/** The tables of storage as they are printed. */
import { expect, test } from '@jest/globals'
import { judge } from '../../../faults/storage/judge.ts'
import { judgementTableOf, storageTablesOf } from '../../../faults/storage/table.ts'

const nothing = judge({ ledger: [], records: [], letters: [], rows: [] })
const verdict = {
  ...nothing,
  ...{ attempts: 900, acknowledged: 850, rows: 840, repetitions: 41, conflicts: 10, poison: 3 },
  ...{ deadLetters: 13, letterCopies: 1, duplicateRows: ['a', 'b'], lettersMissing: ['0/1'] }
}

test('what was found stands first, and then how it was settled', () => {
  const seconds = { longestPauseSeconds: 6.5, nextSeconds: 0.25, recoverySeconds: 7 }
  const run = { faults: 4, complaints: [], lastWords: ['bye'], ...seconds }
  const tables = storageTablesOf([{ title: 'a fault', done: 'something', ...run, verdict }])
  const [found = '', settled = ''] = tables.split('\n\n')
  expect(found.split('\n').at(-1)).toBe(
    '| a fault | something | 4 | 900 | 850 | 0 | 0 | 2 | 0 | 0 | 0 | 6.50 s | 0.25 s | 7.00 s |'
  )
  expect(settled.split('\n').at(-1)).toBe('| a fault | 840 | 41 | 3 | 10 | 13 | 1 | 1 | 1 |')
})

test('judging again tells which promise broke', () => {
  const table = judgementTableOf([
    { fault: 'one', verdict, broken: {} },
    { fault: 'other', verdict, broken: { duplicateRows: ['a', 'b'] } }
  ])
  expect(table.split('\n').slice(2)).toEqual([
    '| one | 900 | 850 | 840 | 13 | nothing |',
    '| other | 900 | 850 | 840 | 13 | duplicateRows: 2 |'
  ])
})
