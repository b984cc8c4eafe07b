/** An audit's report for people: the counts, what they do not say, and what is missing. */
import { layOut } from '../../core/lay-out.ts'
import { outcomes } from './audit-report.ts'
import type { AuditReport, MissingRecord } from './audit-report.ts'
import type { MissingWhy } from './verdict.ts'

const remedies: Record<MissingWhy, string> = {
  not_stored: 'is not stored: set the storage group back to it',
  row_gone: 'has lost its row: delete its identity, and set the storage group back to it',
  conflict_untold:
    'has the id of another decision, and no dead letter says so: set the storage group back to it',
  undecodable_untold:
    'cannot be decoded, and no dead letter says so: set the storage group back to it'
}

export function reportLines(report: AuditReport): string[] {
  const { window, offsets, missing, missing_records: records } = report
  const rows = outcomes.map((outcome) => [outcome, String(report[outcome])])
  const left = missing - records.length
  return [
    `${window.topic}, from ${window.from} to ${window.to}, stored by ${window.group}`,
    ...layOut([['messages', String(offsets)], ...rows]),
    ...cautionsOf(report),
    ...records.map(lineOf),
    ...(left > 0 ? [`… and ${left} more are missing`] : [])
  ]
}

function lineOf({ partition, offset, why, organization_id, decision_id }: MissingRecord): string {
  const who = decision_id === undefined ? '' : ` (${organization_id ?? ''}/${decision_id})`
  return `missing: partition ${partition} offset ${offset}${who} ${remedies[why]}`
}

/** What the counts do not say; each is a sentence. */
export function cautionsOf({ window, prometheus }: AuditReport): string[] {
  const { truncated_partitions: truncated, uncommitted_partitions: uncommitted } = window
  const cautions: [boolean, string][] = [
    [
      truncated.length > 0,
      `The beginning of partition ${truncated.join(', ')} is gone: retention may have removed ` +
        'messages of the window, and nothing is known of them.'
    ],
    [
      window.deleted_offsets > 0,
      `${window.deleted_offsets} offsets were removed by retention while they were read.`
    ],
    [
      window.absent_offsets > 0,
      `${window.absent_offsets} offsets have no message although the log goes on behind them: ` +
        'the topic was compacted, or the log has lost them. They are not counted.'
    ],
    [
      uncommitted.length > 0,
      `The group has committed nothing of partition ${uncommitted.join(', ')}: is its name right?`
    ],
    [
      !window.duplicates_are_exact,
      'There were more identities than are remembered: some duplicates are counted as stored.'
    ]
  ]
  return [
    ...cautions.flatMap(([holds, sentence]) => (holds ? [sentence] : [])),
    ...(prometheus === undefined ? [] : prometheusLines(prometheus.queued, prometheus.difference))
  ]
}

function prometheusLines(queued: number | null, difference: number | null): string[] {
  if (queued === null) return ['Prometheus has no count of the gateways for the window.']
  return [
    `The gateways counted ${queued} queued; the topic has ${difference ?? 0} more than that.`,
    'A small difference means nothing: Prometheus looks now and then and estimates the edges, a',
    'gateway that was killed takes its last counts with it, and a retry may be written twice.'
  ]
}
