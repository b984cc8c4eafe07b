/** Lists sessions, most recent activity first, with a summary of the decisions in each session. */
import type { CursorPosition } from '../../core/cursor.ts'
import { and, query, sql } from '../../platform/postgres/sql.ts'
import { microseconds, sortKey } from '../page.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeRange } from '../time-range.ts'
import { isOfAgent } from './filters.ts'
import type { DecisionKey } from './queries.ts'
import { isAfter } from './scan-decisions.ts'
import { sessionAgentsMax, sessionDecisionsMax } from './schemas.ts'
import { scannedMax } from './walk-decisions.ts'

interface SessionsQuery {
  readonly pieces: readonly TimeRange[]
  /** Empty for decisions without an agent; null for all decisions. */
  readonly agentId: string | null
  readonly after: CursorPosition | null
  readonly limit: number
}

/** Selects a page of sessions. It can be short or empty although more pages follow. */
export async function selectSessionPage(store: OrganizationStore, sessionsQuery: SessionsQuery) {
  const { after, limit } = sessionsQuery
  const { sessions, endsAt } = await findSessions(store, { ...sessionsQuery, limit: limit + 1 })
  const page = sessions.slice(0, limit)
  const summaries = await summarizeSessions(store, page, sessionsQuery)
  const data = page.flatMap(({ session_id, at }) => {
    const summary = summaries.get(session_id)
    if (summary === undefined) return []
    // If the session has a newer decision than the one found here, it belongs on an earlier page.
    const wasShown = after !== null && summary.newest > `${at.sort_key} ${at.id}`
    return wasShown ? [] : viewOf(summary)
  })
  return { data, next: sessions.length > limit ? (page.at(-1)?.at ?? null) : endsAt }
}

function viewOf({ pass, fail, mixed, newest: _, ...summary }: SessionSummary) {
  const { decisions, agent_ids } = summary
  return {
    ...summary,
    decisions: Math.min(decisions, sessionDecisionsMax),
    has_more_decisions: decisions > sessionDecisionsMax,
    agent_ids: agent_ids.toSorted().slice(0, sessionAgentsMax),
    verdicts: { pass, fail, mixed, none: decisions - pass - fail - mixed }
  }
}

/** Maximum number of rows per statement. */
const atOnce = 1000

/**
 * Finds sessions by scanning decisions from newest to oldest. Each has the position of its newest
 * decision among those scanned.
 * @returns `endsAt`: the position of the last row scanned; null if the range was scanned completely
 * or enough sessions were found
 */
async function findSessions(
  store: OrganizationStore,
  { pieces, agentId, after, limit }: SessionsQuery
) {
  const found = new Map<string, CursorPosition>()
  const end = (endsAt: CursorPosition | null) => ({
    sessions: [...found].map(([session_id, at]) => ({ session_id, at })),
    endsAt
  })
  let left = scannedMax
  for (const piece of pieces) {
    let position = after
    for (;;) {
      const rows = await selectRows(store, piece, { after: position, agentId })
      addSessions(found, rows, limit)
      if (found.size === limit) return end(null)
      const last = rows.at(-1)
      if (last === undefined || rows.length < atOnce) break
      position = { sort_key: last.sort_key, id: last.decision_id }
      left -= rows.length
      if (left <= 0) return end(position)
    }
  }
  return end(null)
}

interface SessionRow extends DecisionKey {
  readonly session_id: string | null
}

/** Adds new sessions with the position of their first row, up to `limit` sessions. */
function addSessions(
  found: Map<string, CursorPosition>,
  rows: readonly SessionRow[],
  limit: number
): void {
  for (const { session_id, sort_key, decision_id: id } of rows) {
    if (found.size === limit) return
    if (session_id !== null && !found.has(session_id)) found.set(session_id, { sort_key, id })
  }
}

/**
 * Selects decisions, newest first. Session ids too long for the index are returned as null, because
 * such sessions cannot be summarized.
 */
function selectRows(
  store: OrganizationStore,
  { from, to }: TimeRange,
  { after, agentId }: Pick<SessionsQuery, 'after' | 'agentId'>
) {
  return query<SessionRow>(
    store,
    sql`select decision_id, case when octet_length(session_id) <= 1024 then session_id end
                 as session_id, ${sortKey(sql`received_at`)}
          from decisions
         where ${and([
           sql`organization_id = ${store.organizationId}`,
           sql`received_at >= ${from}`,
           to && sql`received_at < ${to}`,
           agentId === null ? null : isOfAgent(sql`agent_id`, agentId),
           after && isAfter(after, sql`<`)
         ])}
         order by received_at desc, decision_id desc
         limit ${atOnce}`
  )
}

interface SessionSummary {
  readonly session_id: string
  readonly decisions: number
  readonly first_received_at: Date
  readonly last_received_at: Date
  /**
   * Key of the newest decision, counting only those of the requested agent: `received_at` with
   * microseconds, a space, and the id.
   */
  readonly newest: string
  /** Agent ids from all pieces: of each piece, the first `sessionAgentsMax` in byte order. */
  readonly agent_ids: readonly string[]
  readonly input_tokens: number
  readonly output_tokens: number
  readonly pass: number
  readonly fail: number
  readonly mixed: number
}

/**
 * Summarizes the decisions of sessions, piece by piece. Skips older pieces for sessions with more
 * than `sessionDecisionsMax` decisions.
 */
async function summarizeSessions(
  store: OrganizationStore,
  sessions: readonly { readonly session_id: string }[],
  { pieces, agentId }: SessionsQuery
): Promise<ReadonlyMap<string, SessionSummary>> {
  const found = new Map<string, SessionSummary>()
  const isOpen = (id: string) => (found.get(id)?.decisions ?? 0) <= sessionDecisionsMax
  for (const piece of pieces) {
    const ids = sessions.map(({ session_id }) => session_id).filter(isOpen)
    for (const row of await selectPiece(store, ids, { ...piece, agentId })) {
      const known = found.get(row.session_id)
      found.set(row.session_id, known === undefined ? row : joined(known, row))
    }
  }
  return found
}

function selectPiece(
  store: OrganizationStore,
  sessionIds: readonly string[],
  { from, to, agentId }: TimeRange & { agentId: string | null }
) {
  const isOfAgent = agentId === null ? sql`true` : sql`coalesce(d.agent_id, '') = ${agentId}`
  return query<SessionSummary>(
    store,
    sql`select wanted.session_id, count(*)::integer as decisions,
            min(d.received_at) as first_received_at, max(d.received_at) as last_received_at,
            coalesce((array_agg(distinct d.agent_id collate "C")
              filter (where d.agent_id is not null))[1:${sessionAgentsMax}], '{}') as agent_ids,
            coalesce(max(${microseconds(sql`d.received_at`)} || ' ' || d.decision_id)
              filter (where ${isOfAgent}), '') as newest,
            coalesce(sum(d.input_tokens), 0)::bigint as input_tokens,
            coalesce(sum(d.output_tokens), 0)::bigint as output_tokens,
            count(*) filter (where o.verdict = 'pass')::integer as pass,
            count(*) filter (where o.verdict = 'fail')::integer as fail,
            count(*) filter (where o.verdict = 'mixed')::integer as mixed
       from unnest(${sessionIds}::text[]) as wanted (session_id)
      cross join lateral (
        select *
          from decisions
         where organization_id = ${store.organizationId}
           and session_id collate "C" = wanted.session_id and octet_length(session_id) <= 1024
           and received_at >= ${from} and ${to === null ? sql`true` : sql`received_at < ${to}`}
         order by received_at desc, decision_id desc
         limit ${sessionDecisionsMax + 1}) as d
       left join evaluations o
         on o.organization_id = d.organization_id and o.decision_id = d.decision_id
        and o.received_at = d.received_at
      group by wanted.session_id`
  )
}

/** Merges the row of an earlier piece into the summary of its session. */
function joined(known: SessionSummary, earlier: SessionSummary): SessionSummary {
  return {
    ...known,
    first_received_at: earlier.first_received_at,
    newest: known.newest === '' ? earlier.newest : known.newest,
    decisions: known.decisions + earlier.decisions,
    agent_ids: [...new Set([...known.agent_ids, ...earlier.agent_ids])],
    input_tokens: known.input_tokens + earlier.input_tokens,
    output_tokens: known.output_tokens + earlier.output_tokens,
    pass: known.pass + earlier.pass,
    fail: known.fail + earlier.fail,
    mixed: known.mixed + earlier.mixed
  }
}
