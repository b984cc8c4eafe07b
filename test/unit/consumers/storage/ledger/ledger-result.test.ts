/** Tests how the result of an audit is converted to rows of the ledger. */
import { expect, test } from '@jest/globals'
import { hourMs, ledgerResultOf } from '../../../../../consumers/storage/ledger/ledger-result.ts'
import type { AuditResult } from '../../../../../store/audit/audit-result.ts'
import { createAuditTally } from '../../../../../store/audit/audit-tally.ts'
import { createOrganizationSlots } from '../../../../../store/audit/organization-slots.ts'
import type { Audit } from '../../../../../store/audit/run-audit.ts'
import { aMessage } from '../../../consumers/fakes.ts'

const noon = Date.UTC(2026, 0, 31, 12)
const [from, to] = [noon - 90 * 60_000, noon + 60_000]
const stored: AuditResult = { outcome: 'stored' }
const gone: AuditResult = { outcome: 'missing', why: 'row_gone' }

function anAudit(changes: Partial<Audit> = {}): Audit {
  const tally = createAuditTally(createOrganizationSlots(3))
  const add = (organization_id: string, partition: number, timestamp: number, result = stored) => {
    const message = aMessage({ partition, offset: 9n, timestamp })
    tally.add(message, result, { organization_id, decision_id: 'd' })
  }
  // The whole hour is from 11 to 12.
  add('a', 7, noon - hourMs - 1)
  add('a', 7, noon - hourMs)
  add('a', 2, noon - 1, gone)
  add('b', 2, noon)
  tally.add(aMessage({ partition: 2, timestamp: noon - 1 }), { outcome: 'dead_lettered' })
  const ranges = [{ partition: 0, from: 5n, to: 9n }]
  const available = [{ partition: 0, from: 0n, to: 9n }]
  return {
    ...{ from, available, ranges, committed: [9n], tally },
    ...{ duplicatesAreExact: true, everyOrganizationIsCounted: true },
    ...changes
  }
}

test('counts each organization for itself, and whole hours for the counts of gateways', () => {
  const { all, organizations, ...window } = ledgerResultOf(anAudit(), to)
  expect(window).toEqual({
    ...{ window_from: new Date(from), window_to: new Date(to) },
    ...{ hours_from: new Date(noon - hourMs), hours_to: new Date(noon) },
    ...{ exact: true, every_organization: true }
  })
  expect(all).toMatchObject({ stored: 3, dead_lettered: 1, missing: 1, messages_in_hours: 3 })
  expect(all.missing_records).toMatchObject([{ organization_id: 'a', reason: 'row_gone' }])
  const [a, b] = organizations
  expect(a).toMatchObject({ organization_id: 'a', stored: 2, missing: 1, messages_in_hours: 2 })
  expect(a?.partitions).toMatchObject([
    { partition: 2, stored: 0, missing: 1 },
    { partition: 7, stored: 2, missing: 0 }
  ])
  expect(a?.missing_records).toEqual([
    { partition: 2, offset: 9, decision_id: 'd', reason: 'row_gone' }
  ])
  expect(b).toMatchObject({ stored: 1, messages_in_hours: 0, missing_records: [] })
})

test('has no whole hour in a short window', () => {
  const short = anAudit({ from: noon + 1 })
  const { hours_from, hours_to, all } = ledgerResultOf(short, to)
  expect([hours_from, all.messages_in_hours]).toEqual([hours_to, 0])
})

test.each<[string, Partial<Audit>]>([
  ['duplicates are not exact', { duplicatesAreExact: false }],
  ['Kafka deleted the start', { available: [{ partition: 0, from: 5n, to: 9n }] }]
])('is not exact if %s', (_, changes) => {
  expect(ledgerResultOf(anAudit(changes), to).exact).toBe(false)
})

test('says if there are more organizations than the audit counts', () => {
  const audit = anAudit({ everyOrganizationIsCounted: false })
  expect(ledgerResultOf(audit, to).every_organization).toBe(false)
})
