/** An audit's report for people. */
import { expect, test } from '@jest/globals'
import type { AuditReport } from '../../../../cli/audit/audit-report.ts'
import { createAuditTally } from '../../../../cli/audit/audit-tally.ts'
import { reportLines } from '../../../../cli/audit/report-lines.ts'
import { aMessage } from '../../consumers/fakes.ts'

const window: AuditReport['window'] = {
  ...{ from: 'then', to: 'now', topic: 'agent-decisions', group: 'storage', partitions: 12 },
  ...{ transaction_offsets: 0, absent_offsets: 0, deleted_offsets: 0 },
  ...{ truncated_partitions: [], uncommitted_partitions: [], duplicates_are_exact: true }
}

function aReport(changes: Partial<AuditReport['window']> = {}): AuditReport {
  const tally = createAuditTally()
  tally.add(aMessage({ offset: 1n }), { outcome: 'stored' })
  const lost = { outcome: 'missing', why: 'row_gone' } as const
  const identity = { organization_id: 'o', decision_id: 'd' }
  tally.add(aMessage({ partition: 7, offset: 9n }), lost, identity)
  tally.addInFlight([aMessage(), aMessage()])
  const counts = { offsets: tally.offsets(), ...tally.counts }
  return { window: { ...window, ...changes }, ...counts, missing_records: tally.missing }
}

test('counts, and one line for what is missing', () => {
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
    'missing: partition 7 offset 9 (o/d) has lost its row: ' +
      'delete its identity, and set the storage group back to it'
  ])
})

test.each([
  [{ truncated_partitions: [3, 4] }, 'The beginning of partition 3, 4 is gone'],
  [{ deleted_offsets: 5 }, '5 offsets were removed by retention'],
  [{ absent_offsets: 6 }, '6 offsets have no message although the log goes on'],
  [{ uncommitted_partitions: [0] }, 'committed nothing of partition 0: is its name right?'],
  [{ duplicates_are_exact: false }, 'some duplicates are counted as stored']
])('%j is said', (changes, sentence) => {
  expect(reportLines(aReport(changes)).join('\n')).toContain(sentence)
})

test('beyond a thousand the rest is counted', () => {
  const tally = createAuditTally()
  for (let offset = 0n; offset < 1003n; offset++) {
    tally.add(aMessage({ offset }), { outcome: 'missing', why: 'not_stored' })
  }
  const counts = { offsets: tally.offsets(), ...tally.counts }
  const lines = reportLines({ window, ...counts, missing_records: tally.missing })
  expect(lines.at(-1)).toBe('… and 3 more are missing')
})

test('the gateways’ count comes with its caveats', () => {
  const lines = reportLines({ ...aReport(), prometheus: { queued: 3, difference: 1 } })
  expect(lines.join('\n')).toContain('counted 3 queued; the topic has 1 more')
  const none = reportLines({ ...aReport(), prometheus: { queued: null, difference: null } })
  expect(none.join('\n')).toContain('Prometheus has no count')
})
