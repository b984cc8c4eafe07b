/** Formats an audit report as text: counts, warnings and missing records. */
import { formatTable } from '../../core/format-table.ts'
import { auditOutcomes } from '../../store/audit/audit-result.ts'
import type { MissingReason, MissingRecord } from '../../store/audit/audit-result.ts'
import type { AuditReport } from './audit-report.ts'

const remedies: Record<MissingReason, string> = {
  not_stored: 'is not stored: reset the storage group to this offset',
  row_gone: 'has no row: delete its identity, and reset the storage group to this offset',
  conflict_not_reported:
    'has the id of another decision and no dead-letter record: reset the storage group to ' +
    'this offset',
  undecodable_not_reported:
    'cannot be decoded and has no dead-letter record: reset the storage group to this offset'
}

export function reportLines(report: AuditReport): string[] {
  const { window, offsets, missing, missing_records: records } = report
  const rows = auditOutcomes.map((outcome) => [outcome, String(report[outcome])])
  const left = missing - records.length
  return [
    `${window.topic}, from ${window.from} to ${window.to}, stored by ${window.group}`,
    ...formatTable([['messages', String(offsets)], ...rows]),
    ...cautionsOf(report),
    ...records.map(lineOf),
    ...(left > 0 ? [`… and ${left} more are missing`] : [])
  ]
}

function lineOf({ partition, offset, why, organization_id, decision_id }: MissingRecord): string {
  const identity = decision_id === undefined ? '' : ` (${organization_id ?? ''}/${decision_id})`
  return `missing: partition ${partition} offset ${offset}${identity} ${remedies[why]}`
}

/** Returns the limitations of the counts, and the comparison with Prometheus if there is one. */
export function cautionsOf({ window, prometheus }: AuditReport): string[] {
  const { truncated_partitions: truncated, uncommitted_partitions: uncommitted } = window
  const cautions: [boolean, string][] = [
    [
      truncated.length > 0,
      `Retention deleted the beginning of partition ${truncated.join(', ')}; messages of ` +
        'the window that were deleted are not counted.'
    ],
    [
      window.deleted_offsets > 0,
      `Retention deleted ${window.deleted_offsets} offsets during the audit.`
    ],
    [
      window.absent_offsets > 0,
      `${window.absent_offsets} offsets before the end of the topic have no message: the ` +
        'topic was compacted, or Kafka lost them. They are not counted.'
    ],
    [
      uncommitted.length > 0,
      `The group has no committed offset in partition ${uncommitted.join(', ')}. Check the ` +
        'name of the group.'
    ],
    [
      !window.duplicates_are_exact,
      'The window has more identities than the audit remembers: some duplicates count as stored.'
    ]
  ]
  return [
    ...cautions.flatMap(([holds, sentence]) => (holds ? [sentence] : [])),
    ...(prometheus === undefined ? [] : prometheusLines(prometheus.queued, prometheus.difference))
  ]
}

function prometheusLines(queued: number | null, difference: number | null): string[] {
  if (queued === null) return ['Prometheus has no gateway counts for the window.']
  const more = difference ?? 0
  const compared = more < 0 ? `${-more} fewer` : `${more} more`
  return [
    `The gateways counted ${queued} queued decisions; the topic has ${compared}.`,
    'A small difference is normal: Prometheus samples and extrapolates, a killed gateway loses its',
    'last counts, and a retry may write a decision twice.'
  ]
}
