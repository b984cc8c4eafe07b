/** Determines the outcome of each record in a replay or drop. */
import type { ActionResult } from './schemas.ts'

export type Action = 'replay' | 'drop'
export type Refusal = 'would_fail_again' | 'too_many_pending'

/** The columns of a record that determine its outcome. */
export interface ActionRow {
  readonly dead_letter_id: string
  readonly reason: string
  readonly state: 'open' | 'replayed' | 'dropped'
  readonly requested_action: Action | null
  readonly failure: string | null
}

type Result = ActionResult['results'][number]

interface Ended {
  readonly action: Action
  /** Ids of the records for which this call requested the action; null in a dry run. */
  readonly requested: ReadonlySet<string> | null
  /**
   * The records after the wait, or the selected records in a dry run. A record is missing if it was
   * deleted meanwhile.
   */
  readonly rows: readonly ActionRow[]
  /** Why records were not requested, by id. */
  readonly refused: ReadonlyMap<string, Refusal>
}

const doneStates = { replay: 'replayed', drop: 'dropped' } as const

/**
 * @param selected the records before the request, in the order of the results
 * @param unknown ids without a record
 */
export function resultsOf(
  selected: readonly ActionRow[],
  { action, requested, rows, refused }: Ended,
  unknown: readonly string[]
): Result[] {
  const byId = new Map(rows.map((row) => [row.dead_letter_id, row]))
  const found = selected.map(({ dead_letter_id }): Result => {
    const row = byId.get(dead_letter_id)
    if (row === undefined) return { dead_letter_id, outcome: 'failed', reason: 'record_deleted' }
    const reason = refused.get(dead_letter_id)
    if (reason !== undefined && row.state === 'open' && row.requested_action === null) {
      return { dead_letter_id, outcome: 'failed', reason }
    }
    const isOurs = requested === null ? null : requested.has(dead_letter_id)
    return { dead_letter_id, ...outcomeOf(row, action, isOurs) }
  })
  const missing = unknown.map((dead_letter_id): Result => {
    return { dead_letter_id, outcome: 'not_found', reason: null }
  })
  return [...found, ...missing]
}

/** @param isOurs whether this call requested the action; null in a dry run */
function outcomeOf(
  { state, requested_action, failure }: ActionRow,
  action: Action,
  isOurs: boolean | null
): Omit<Result, 'dead_letter_id'> {
  if (state !== 'open') {
    const isDone = isOurs === true && state === doneStates[action]
    return { outcome: isDone ? state : `already_${state}`, reason: null }
  }
  if (requested_action !== null && requested_action !== action) {
    return { outcome: 'failed', reason: 'in_progress' }
  }
  if (requested_action !== null) return { outcome: 'pending', reason: null }
  if (isOurs === null) return { outcome: 'selected', reason: null }
  return { outcome: 'failed', reason: failure ?? 'in_progress' }
}
