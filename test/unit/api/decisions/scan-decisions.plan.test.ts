/** Tests which index a list of decisions scans: the index for its narrowest filter. */
import { expect, test } from '@jest/globals'
import { scanPlanOf } from '../../../../api/decisions/scan-decisions.ts'

const byTime = { kind: 'time', descending: true } as const

test.each([
  [{}, null],
  [{ agent_id: 'a', domain: ['d'] }, 'agent_id'],
  [{ agent_id: 'a', session_id: 's' }, 'session_id'],
  [{ session_id: 's', trace_id: 't', parent_decision_id: 'p' }, 'trace_id'],
  [{ parent_decision_id: 'p', root: false, kind: 'k' }, null],
  [{ agent_id: '_unattributed', domain: ['d'] }, 'domain'],
  [{ domain: ['d', 'e'] }, null],
  [{ session_id: 'ö'.repeat(600), agent_id: 'a' }, 'agent_id'],
  [{ agent_id: 'a', verdict: ['pass', 'fail'] as const }, 'agent_id'],
  [{ model: 'm', verdict: ['fail'] as const }, null]
])('finds %j by the index on %s', (filters, column) => {
  const plan = scanPlanOf(filters, byTime)
  expect([plan.table, plan.served?.column ?? null]).toEqual(['decisions', column])
  if (column !== null) expect(plan.filters[column as keyof object]).toBeUndefined()
})

test.each([
  [{ verdict: ['fail', 'mixed'] as const }, `verdict <> 'pass'`],
  [{ verdict: ['fail'] as const, agent_id: 'a' }, `verdict <> 'pass'`],
  [{ status: ['failed'] as const, domain: ['d'] }, `status <> 'evaluated'`]
])('finds %j by a partial index of evaluations', (filters, partial) => {
  expect(scanPlanOf(filters, byTime)).toMatchObject({
    table: 'evaluations',
    partial,
    filters
  })
})

test('finds errors by their partial index, unless a narrower filter is set', () => {
  const plan = scanPlanOf({ model: 'm', is_error: true }, byTime)
  expect(plan).toEqual({
    ...{ table: 'decisions', served: null, partial: 'is_error', filters: { model: 'm' } }
  })
  for (const filters of [{ is_error: false }, { agent_id: 'a', is_error: true }]) {
    expect(scanPlanOf(filters, byTime)).toMatchObject({ partial: null })
    expect(scanPlanOf(filters, byTime).filters.is_error).toBe(filters.is_error)
  }
})

test('scans decisions if evaluations lack a column of a filter or of the order', () => {
  const filters = { verdict: ['fail'] as const }
  const order = { kind: 'measure', descending: true, measure: 'latency_ms' } as const
  expect(scanPlanOf(filters, order).table).toBe('decisions')
  expect(scanPlanOf({ ...filters, q: 'word' }, byTime).table).toBe('decisions')
  expect(scanPlanOf({ verdict: ['none'] }, byTime).table).toBe('decisions')
})
