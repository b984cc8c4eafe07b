/** Tests that a rejected sort reports the limit that it reached. */
import { expect, test } from '@jest/globals'
import type { DecisionFilters } from '../../../../api/decisions/filters.ts'
import { selectDecisionPage } from '../../../../api/decisions/walk-decisions.ts'
import type { OrganizationStore } from '../../../../api/store.ts'
import type { Row } from '../../../../platform/postgres/postgres.ts'
import { decisionId, organizationId, problemOf } from '../fakes.ts'

/** A store in which no decision matches, and each scan reaches its limit. */
const store: OrganizationStore = {
  organizationId,
  query: <R extends Row>(statement: string, values: readonly unknown[] = []) => {
    const end = {
      decision_id: decisionId,
      sort_key: '2026-01-02T00:00:00.000000Z',
      scanned: values.at(-1)
    }
    return Promise.resolve((statement.includes('as scanned') ? [end] : []) as unknown as R[])
  },
  change: () => Promise.reject(new Error('a list changes nothing'))
}

test.each<[DecisionFilters, number]>([
  [{ model: 'small-1' }, 20_000],
  [{ q: 'refund' }, 5000]
])('with the filters %j, the limit is %d decisions', async (filters, limit) => {
  const query = {
    range: { from: new Date('2026-01-01T00:00:00Z'), to: null },
    filters,
    order: { kind: 'measure', descending: true, measure: 'latency_ms' } as const,
    after: null,
    limit: 50
  }
  const now = Date.UTC(2026, 0, 2)
  const { code, options } = await problemOf(selectDecisionPage(store, query, { now: () => now }))
  expect([code, options.members]).toEqual(['range_too_large', { limit }])
})
