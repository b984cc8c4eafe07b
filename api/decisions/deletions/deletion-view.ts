/** A deletion as it is answered. */
import type { Erasure } from '../../../store/erasure/erasure-table.ts'

export type DeletionRow = Pick<
  Erasure,
  | ('erasure_id' | 'scope' | 'subject' | 'requested_at' | 'requested_by' | 'reason')
  | ('received_until' | 'finished_at' | 'decisions' | 'evaluation_runs' | 'scores')
>

export function deletionViewOf(row: DeletionRow) {
  return {
    deletion_id: row.erasure_id,
    scope: row.scope,
    subject: row.subject,
    state: row.finished_at === null ? 'running' : 'finished',
    requested_at: row.requested_at,
    requested_by: row.requested_by,
    reason: row.reason,
    received_until: row.received_until,
    finished_at: row.finished_at,
    decisions: row.decisions,
    evaluation_runs: row.evaluation_runs,
    scores: row.scores
  }
}
