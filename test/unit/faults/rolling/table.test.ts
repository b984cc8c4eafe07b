/** The tables of rolling restarts as they are printed. */
import { expect, test } from '@jest/globals'
import type { RollingResult } from '../../../faults/rolling/run-rolling-fault.ts'
import { rollingTablesOf } from '../../../faults/rolling/table.ts'

const result: RollingResult = {
  ...{ title: 'rolling', done: 'SIGTERM', requests: 50, failed: 1, forgotten: 0 },
  ...{ attempts: 90, answers: { 202: 49 }, serverErrors: 0, decisions: 90, acknowledged: 88 },
  ...{ refused: {}, unknown: { broken: 2 }, leftUnknown: 2, leftUnknownWritten: 1, duplicates: 0 },
  ...{ missing: ['a'], changed: [], refusedButWritten: [], strangers: ['s'], unexpected: [] },
  ...{ rows: 89, notStored: ['a', 'b'], ghosts: ['s'], storedTwice: 3, deadLetters: 0 },
  ...{ slowestSeconds: 0.5, longestStopSeconds: 3.25, exitCodes: [0], complaints: [] },
  ...{ lists: 20, listFailures: ['x'], tails: 4, tailFailures: [], shown: 9 },
  ...{ notShown: ['y'], shownAgain: 2 }
}

test('decisions stand first, and then what readers saw', () => {
  const [found = '', read = ''] = rollingTablesOf([result]).split('\n\n')
  expect(found.split('\n').at(-1)).toBe(
    '| rolling | SIGTERM | 50 | 1 | 90 | 88 | 2 | 3 | 1 | 2, 1 | 0.50 s | 3.25 s |'
  )
  expect(read.split('\n').at(-1)).toBe('| rolling | 20 | 1 | 4 | 9 | 1 | 2 |')
})
