/** Which sessions had decisions of late: found on a walk from the newest decision back. */
import type { CursorPosition } from '../../../core/cursor.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { agentCondition } from '../../profiles/measures/agent-condition.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'
import { scannedMax } from '../list/walk-decisions.ts'

export interface FoundSession {
  readonly session_id: string
  /** The newest of its decisions that was met on the walk. */
  readonly at: CursorPosition
}

export interface FoundSessions {
  readonly sessions: readonly FoundSession[]
  /** Up to here all were looked at; null when that is the whole range, or enough were found. */
  readonly endsAt: CursorPosition | null
}

interface SeenRow extends Row {
  readonly decision_id: string
  readonly sort_key: string
  readonly session_id: string | null
}

export interface SessionWalk {
  readonly pieces: readonly TimeRange[]
  /** Empty is the decisions that name none; null is all. */
  readonly agentId: string | null
  readonly after: CursorPosition | null
  readonly sessionsMax: number
}

const atOnce = 1000

export async function findSessions(
  store: OrganizationStore,
  { pieces, agentId, after, sessionsMax }: SessionWalk
): Promise<FoundSessions> {
  const found = new Map<string, CursorPosition>()
  const end = (endsAt: CursorPosition | null): FoundSessions => ({
    sessions: [...found].map(([session_id, at]) => ({ session_id, at })),
    endsAt
  })
  let left = scannedMax
  for (const piece of pieces) {
    let position = after
    for (;;) {
      const rows = await selectSeen(store, { piece, after: position, agentId })
      note(found, rows, sessionsMax)
      if (found.size === sessionsMax) return end(null)
      const last = rows.at(-1)
      if (last === undefined || rows.length < atOnce) break
      position = { sort_key: last.sort_key, id: last.decision_id }
      left -= rows.length
      if (left <= 0) return end(position)
    }
  }
  return end(null)
}

/** Each session where it is met first, and no more of them than asked for. */
function note(
  found: Map<string, CursorPosition>,
  rows: readonly SeenRow[],
  sessionsMax: number
): void {
  for (const { session_id, sort_key, decision_id: id } of rows) {
    if (found.size === sessionsMax) return
    if (session_id !== null && !found.has(session_id)) found.set(session_id, { sort_key, id })
  }
}

interface Looked extends Pick<SessionWalk, 'after' | 'agentId'> {
  readonly piece: TimeRange
}

/** Ids that no index holds are left out, as they could not be summed up. */
function selectSeen(
  store: OrganizationStore,
  { piece, after, agentId }: Looked
): Promise<readonly SeenRow[]> {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions = [
    `organization_id = ${parameter(store.organizationId)}`,
    `received_at >= ${parameter(piece.from.toISOString())}::timestamptz`
  ]
  if (piece.to !== null) {
    conditions.push(`received_at < ${parameter(piece.to.toISOString())}::timestamptz`)
  }
  if (agentId !== null) conditions.push(agentCondition(agentId, parameter))
  if (after !== null) {
    const time = `${parameter(after.sort_key)}::timestamptz`
    conditions.push(`received_at <= ${time}`)
    conditions.push(`(received_at, decision_id) < (${time}, ${parameter(after.id)}::uuid)`)
  }
  return store.query<SeenRow>(
    `select decision_id, case when octet_length(session_id) <= 1024 then session_id end
              as session_id,
            to_char(received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key
       from decisions
      where ${conditions.join('\n        and ')}
      order by received_at desc, decision_id desc
      limit ${atOnce}`,
    values
  )
}
