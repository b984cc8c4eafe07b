/** Tests the text of an audit report. */
import { expect, test } from '@jest/globals'
import type { AuditReport } from '../../../../cli/audit/audit-report.ts'
import { reportLines } from '../../../../cli/audit/report-lines.ts'
import { createAuditTally, messagesIn, totalOf } from '../../../../store/audit/audit-tally.ts'
import type { AuditTally } from '../../../../store/audit/audit-tally.ts'
import { createOrganizationSlots } from '../../../../store/audit/organization-slots.ts'
import { aMessage } from '../../consumers/fakes.ts'

const window: AuditReport['window'] = {
  ...{ from: 'then', to: 'now', topic: 'agent-decisions', group: 'storage', partitions: 12 },
  ...{ transaction_offsets: 0, absent_offsets: 0, deleted_offsets: 0 },
  ...{ truncated_partitions: [], uncommitted_partitions: [], duplicates_are_exact: true }
}

function aReport(changes: Partial<AuditReport['window']> = {}): AuditReport {
  const tally = createAuditTally(createOrganizationSlots(0))
  tally.add(aMessage({ offset: 1n }), { outcome: 'stored' })
  const lost = { outcome: 'missing', why: 'row_gone' } as const
  const identity = { organization_id: 'o', decision_id: 'd' }
  tally.add(aMessage({ partition: 7, offset: 9n }), lost, identity)
  for (const message of [aMessage(), aMessage()]) tally.add(message, { outcome: 'in_flight' })
  return { window: { ...window, ...changes }, ...countsOf(tally) }
}

function countsOf({ all }: AuditTally) {
  const counts = totalOf(all)
  return { offsets: messagesIn(counts), ...counts, missing_records: all.missing }
}

test('prints the counts and one line per missing record', () => {
  expect(reportLines(aReport())).toEqual([
    'agent-decisions, from then to now, stored by storage',
    'messages       4',
    'stored         1',
    'duplicate      0',
    'conflict       0',
    'dead_lettered  0',
    'erased         0',
    'in_flight      2',
    'missing        1',
    'missing: partition 7 offset 9 (o/d) has no row: delete its identity, and reset the ' +
      'storage group to this offset'
  ])
})

test.each([
  [{ truncated_partitions: [3, 4] }, 'Retention deleted the beginning of partition 3, 4'],
  [{ deleted_offsets: 5 }, 'Retention deleted 5 offsets'],
  [{ absent_offsets: 6 }, '6 offsets before the end of the topic have no message'],
  [{ uncommitted_partitions: [0] }, 'no committed offset in partition 0. Check the name'],
  [{ duplicates_are_exact: false }, 'some duplicates count as stored']
])('warns about %j', (changes, sentence) => {
  expect(reportLines(aReport(changes)).join('\n')).toContain(sentence)
})

test('counts missing records beyond a thousand without listing them', () => {
  const tally = createAuditTally(createOrganizationSlots(0))
  for (let offset = 0n; offset < 1003n; offset++) {
    tally.add(aMessage({ offset }), { outcome: 'missing', why: 'not_stored' })
  }
  const lines = reportLines({ window, ...countsOf(tally) })
  expect(lines.at(-1)).toBe('… and 3 more are missing')
})

test("prints the gateways' count with its limits", () => {
  const lines = reportLines({ ...aReport(), prometheus: { queued: 3, difference: 1 } })
  expect(lines.join('\n')).toContain('counted 3 queued decisions; the topic has 1 more.')
  const fewer = reportLines({ ...aReport(), prometheus: { queued: 8, difference: -5 } })
  expect(fewer.join('\n')).toContain('counted 8 queued decisions; the topic has 5 fewer.')
  const none = reportLines({ ...aReport(), prometheus: { queued: null, difference: null } })
  expect(none.join('\n')).toContain('Prometheus has no gateway counts')
})
