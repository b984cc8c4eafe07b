/** Filters records by agent, session, organization, decision and reason. */
import type { DecodedRecord } from './decode-record.ts'

export interface RecordFilter {
  readonly agent?: string
  readonly session?: string
  readonly organization?: string
  readonly decision?: string
  /** Reason in a dead-letter record. Other records do not match. */
  readonly reason?: string
}

/**
 * Checks whether a record matches. An undecodable record has no content to compare, so it matches
 * only a filter on `reason`, or no filter.
 */
export function matches(described: DecodedRecord, filter: RecordFilter): boolean {
  if (filter.reason !== undefined && described.deadLetter?.reason !== filter.reason) return false
  const { agent, session, organization, decision } = filter
  const contentIds = { agent_id: agent, session_id: session }
  const ids = { organization_id: organization?.toLowerCase(), decision_id: decision?.toLowerCase() }
  const conditions = Object.entries({ ...contentIds, ...ids }).filter(
    ([, value]) => value !== undefined
  )
  if (conditions.length === 0) return true
  const subject = subjectOf(described)
  return subject !== null && conditions.every(([name, value]) => subject[name] === value)
}

function subjectOf(described: DecodedRecord): Readonly<Record<string, unknown>> | null {
  if (described.kind === 'decision') return { ...described.decision }
  return described.kind === 'evaluation' ? { ...described.evaluation } : null
}
