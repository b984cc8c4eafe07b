/** Converts an audit to the rows of the ledger. */
import { messagesIn, totalOf } from '../../../store/audit/audit-tally.ts'
import type { AuditFigures } from '../../../store/audit/audit-tally.ts'
import type { MissingRecord } from '../../../store/audit/audit-result.ts'
import type { Audit } from '../../../store/audit/run-audit.ts'
import type { LedgerFigures, LedgerResult } from './ledger-table.ts'

export const hourMs = 3_600_000

/** Whole hours of the window, as hours since 1970. `to` is exclusive. */
interface WholeHours {
  readonly from: number
  readonly to: number
}

/** @param to end of the audited window, in milliseconds since 1970 */
export function ledgerResultOf(audit: Audit, to: number): LedgerResult {
  const { from, tally } = audit
  const first = Math.ceil(from / hourMs)
  const hours = { from: first, to: Math.max(first, Math.floor(to / hourMs)) }
  return {
    window_from: new Date(from),
    window_to: new Date(to),
    hours_from: new Date(hours.from * hourMs),
    hours_to: new Date(hours.to * hourMs),
    exact: isExact(audit),
    every_organization: audit.everyOrganizationIsCounted,
    all: { ...figuresOf(tally.all, hours), missing_records: tally.all.missing.map(recordOf) },
    organizations: [...tally.organizations].map(([organization_id, figures]) => {
      const missing_records = figures.missing.map(ownRecordOf)
      return { organization_id, ...figuresOf(figures, hours), missing_records }
    })
  }
}

/** Whether every message of the window was counted, and every duplicate recognized. */
function isExact({ available, ranges, tally, duplicatesAreExact }: Audit): boolean {
  const { deleted, absent } = tally.gaps
  const isTruncated = available.some(({ from }, at) => from > 0n && ranges[at]?.from === from)
  return duplicatesAreExact && deleted === 0 && absent === 0 && !isTruncated
}

function figuresOf(
  figures: AuditFigures,
  hours: WholeHours
): Omit<LedgerFigures, 'missing_records'> {
  const inHours = [...figures.hours].filter(([hour]) => hour >= hours.from && hour < hours.to)
  return {
    ...totalOf(figures),
    messages_in_hours: inHours.reduce((sum, [, messages]) => sum + messages, 0),
    partitions: [...figures.partitions]
      .map(([partition, counts]) => ({ partition, ...counts }))
      .filter((counts) => messagesIn(counts) > 0)
      .toSorted((a, b) => a.partition - b.partition)
  }
}

function ownRecordOf({ partition, offset, why, decision_id }: MissingRecord) {
  return { partition, offset, decision_id, reason: why }
}

function recordOf(record: MissingRecord) {
  return { ...ownRecordOf(record), organization_id: record.organization_id }
}
