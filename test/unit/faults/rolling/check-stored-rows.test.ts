/** Tests that comparing a ledger with the stored rows reports missing, duplicate and unknown rows.
 */
import { expect, test } from '@jest/globals'
import { createLedger } from '../../../faults/ledger.ts'
import type { AttemptOutcome } from '../../../faults/ledger.ts'
import { createRandom } from '../../../faults/random.ts'
import { checkStoredRows } from '../../../faults/rolling/check-stored-rows.ts'
import { makeSample } from '../../../faults/sample.ts'

const acknowledged: AttemptOutcome = { kind: 'acknowledged', status: 202, code: '' }
const broken: AttemptOutcome = { kind: 'unknown', status: null, code: 'broken' }

function aLedger() {
  const ledger = createLedger()
  const [good, lost] = [1, 2].map((seed) => makeSample(createRandom(seed), 'good'))
  if (good === undefined || lost === undefined) throw new Error('no samples')
  ledger.record(good, acknowledged)
  ledger.record(lost, broken)
  return { ledger, good: good.decisionId, lost: lost.decisionId }
}

test('requires a row of acknowledged decisions and allows one of unknown decisions', () => {
  const { ledger, good, lost } = aLedger()
  const fine = { notStored: [], rowsNeverSent: [], storedTwice: 0 }
  expect(checkStoredRows(ledger, [good])).toEqual({ rows: 1, ...fine })
  expect(checkStoredRows(ledger, [good, lost])).toEqual({ rows: 2, ...fine })
})

test('reports a missing row, a duplicate row, and a row that was never sent', () => {
  const { ledger, good, lost } = aLedger()
  expect(checkStoredRows(ledger, [lost]).notStored).toEqual([good])
  expect(checkStoredRows(ledger, [good, good]).storedTwice).toBe(1)
  expect(checkStoredRows(ledger, [good, 'never-sent']).rowsNeverSent).toEqual(['never-sent'])
})
