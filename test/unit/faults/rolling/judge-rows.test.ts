/** The comparison with the tables can fail. */
import { expect, test } from '@jest/globals'
import { createLedger } from '../../../faults/ledger.ts'
import type { Outcome } from '../../../faults/ledger.ts'
import { createRandom } from '../../../faults/random.ts'
import { judgeRows } from '../../../faults/rolling/judge-rows.ts'
import { makeSample } from '../../../faults/sample.ts'

const acknowledged: Outcome = { kind: 'acknowledged', status: 202, code: '' }
const broken: Outcome = { kind: 'unknown', status: null, code: 'broken' }

function aLedger() {
  const ledger = createLedger()
  const [good, lost] = [1, 2].map((seed) => makeSample(createRandom(seed), 'good'))
  if (good === undefined || lost === undefined) throw new Error('no samples')
  ledger.record(good, acknowledged)
  ledger.record(lost, broken)
  return { ledger, good: good.decisionId, lost: lost.decisionId }
}

test('what was acknowledged is a row, and what nobody knows may be one', () => {
  const { ledger, good, lost } = aLedger()
  const fine = { notStored: [], ghosts: [], storedTwice: 0 }
  expect(judgeRows(ledger, [good])).toEqual({ rows: 1, ...fine })
  expect(judgeRows(ledger, [good, lost])).toEqual({ rows: 2, ...fine })
})

test('a row that is missing, doubled or nobody’s is found', () => {
  const { ledger, good, lost } = aLedger()
  expect(judgeRows(ledger, [lost]).notStored).toEqual([good])
  expect(judgeRows(ledger, [good, good]).storedTwice).toBe(1)
  expect(judgeRows(ledger, [good, 'a stranger']).ghosts).toEqual(['a stranger'])
})
