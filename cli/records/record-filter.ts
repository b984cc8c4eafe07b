/** Which records somebody wants to see. */
import type { Described } from './describe.ts'

export interface RecordFilter {
  readonly agent?: string
  readonly session?: string
  readonly organization?: string
  readonly decision?: string
  /** Of dead letters. */
  readonly reason?: string
}

/** What cannot be decoded belongs to nobody, so it passes only where nobody is asked for. */
export function matches(described: Described, filter: RecordFilter): boolean {
  if (filter.reason !== undefined && described.letter?.reason !== filter.reason) return false
  const { agent, session, organization, decision } = filter
  const wanted = { agent_id: agent, session_id: session }
  const ids = { organization_id: organization?.toLowerCase(), decision_id: decision?.toLowerCase() }
  const asked = Object.entries({ ...wanted, ...ids }).filter(([, value]) => value !== undefined)
  if (asked.length === 0) return true
  const subject = subjectOf(described)
  return subject !== null && asked.every(([name, value]) => subject[name] === value)
}

function subjectOf(described: Described): Readonly<Record<string, unknown>> | null {
  if (described.kind === 'decision') return { ...described.decision }
  return described.kind === 'evaluation' ? { ...described.evaluation } : null
}
