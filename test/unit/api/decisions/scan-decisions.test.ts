/** Tests that a scan leaves rows after its end to the next scan if decisions are stored between
 * its two statements.
 */
import { expect, test } from '@jest/globals'
import { scanDecisions } from '../../../../api/decisions/scan-decisions.ts'
import type { Scan } from '../../../../api/decisions/scan-decisions.ts'
import type { OrganizationStore } from '../../../../api/store.ts'
import type { Row } from '../../../../platform/postgres/postgres.ts'
import { organizationId } from '../fakes.ts'
import { now } from '../samples.ts'

const positionOf = (second: number) => ({
  decision_id: `01938c4e-5b7a-7c3e-9f00-00000000000${second}`,
  sort_key: `2026-01-31T00:00:0${second}.000000Z`
})

/**
 * Creates a fake store. The first query returns `found`; the second returns `end` after three
 * scanned rows.
 */
function storeOf(found: readonly number[], end: number): OrganizationStore {
  const answers: Row[][] = [
    found.map((second) => ({ ...positionOf(second), value: null })),
    [{ ...positionOf(end), scanned: 3 }]
  ]
  const query = async <R extends Row>() => (answers.shift() ?? []) as R[]
  return { organizationId, query, change: () => Promise.reject(new Error('unexpected change')) }
}

function scanOf(descending: boolean): Scan {
  const filters = { is_error: true }
  return {
    plan: { table: 'decisions', served: null, partial: null, filters },
    order: { kind: 'time', descending },
    piece: { from: new Date(0), to: new Date(now) },
    after: null,
    scannedMax: 3,
    rowsMax: 3
  }
}

test.each([
  ['newest', true, [5, 3], 4, [5]],
  ['newest', true, [5, 4], 4, [5, 4]],
  ['oldest', false, [1, 3], 2, [1]],
  ['oldest', false, [1, 2], 2, [1, 2]]
])('leaves rows past the end to the next scan, %s first', async (...given) => {
  const [, descending, found, end, expected] = given
  const scanned = await scanDecisions(storeOf(found, end), scanOf(descending))
  expect(scanned.keys.map(({ sort_key }) => Number(sort_key.slice(18, 19)))).toEqual(expected)
  const { sort_key, decision_id: id } = positionOf(end)
  expect([scanned.endsAt, scanned.scanned]).toEqual([{ sort_key, id }, 3])
})
