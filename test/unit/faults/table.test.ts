/** The tables as they are printed. */
import { expect, test } from '@jest/globals'
import type { FaultResult } from '../../faults/run-fault.ts'
import { tablesOf } from '../../faults/table.ts'

const result: FaultResult = {
  fault: 'broker frozen',
  done: 'SIGSTOP for 4 s',
  ...{
    faultSeconds: 4,
    acknowledgedMeanwhile: 0,
    recoverySeconds: 0.026,
    longestPauseSeconds: 4.2
  },
  ...{ attempts: 40, answers: { 503: 12, 202: 28 }, serverErrors: 0, decisions: 30 },
  ...{ acknowledged: 28, refused: { overloaded: 4 }, unknown: { log_unavailable: 8 } },
  ...{ leftUnknown: 2, leftUnknownWritten: 1, duplicates: 3 },
  missing: ['a', 'b'],
  ...{ changed: [], refusedButWritten: [], strangers: [], unexpected: [], complaints: [] },
  writtenIds: []
}

test('what was found stands first, and then what callers were told', () => {
  const [found = '', told = ''] = tablesOf([result]).split('\n\n')
  expect(found.split('\n')).toHaveLength(3)
  expect(found).toContain(
    '| broker frozen | SIGSTOP for 4 s | 30 | 40 | 28 | 2 | 0 | 3 | 0 | 4.20 s |'
  )
  expect(told.split('\n').at(-1)).toBe(
    '| broker frozen | 202: 28, 503: 12 | overloaded: 4 | log_unavailable: 8 | 2, 1 |'
  )
})

test('where nothing is to be said stands a dash', () => {
  const quiet = { ...result, refused: {}, unknown: {}, leftUnknown: 0 }
  expect(tablesOf([quiet])).toMatch(/[|] – [|] – [|] – [|]$/)
})
