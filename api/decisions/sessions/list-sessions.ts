/** GET /v1/decisions/sessions: sessions by their newest decision, and the decisions of one. */
import { writeCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { agentIdOf } from '../../profiles/agent-name.ts'
import { timePageOf } from '../../time-page.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import { readListQuery } from '../list/read-query.ts'
import { findSessions } from './find-sessions.ts'
import type { FoundSession, FoundSessions } from './find-sessions.ts'
import { answerDecisions } from '../list/list-decisions.ts'
import type { ListDecisionsDependencies } from '../list/list-decisions.ts'
import { selectSessions, sessionAgentsMax, sessionDecisionsMax } from './session-summaries.ts'
import type { SessionSummary } from './session-summaries.ts'
import { timePiecesOf } from '../list/time-pieces.ts'

interface SessionsQuery {
  readonly from?: string
  readonly to?: string
  readonly agent_id?: string
  readonly cursor?: string
  readonly limit: number
}

export function createListSessions(
  dependencies: Omit<ListDecisionsDependencies, 'readEvaluations'>
): SessionHandle {
  const { store, decisionsTopic, clock } = dependencies

  return async function listSessions(call) {
    const { cursor, limit, ...texts } = call.query as unknown as SessionsQuery
    const { range, after } = timePageOf({ ...texts }, cursor, clock.now())
    const ours = store.of(call.principal.organization_id)
    const watermark = await readWatermark(ours, decisionsTopic)
    const pieces = timePiecesOf(range, clock.now())
    const agentId = texts.agent_id === undefined ? null : agentIdOf(texts.agent_id)
    const walk = { pieces, agentId, after, sessionsMax: limit + 1 }
    const found = await findSessions(ours, walk)
    const met = found.sessions.slice(0, limit)
    const ids = met.map(({ session_id }) => session_id)
    const summaries = await selectSessions(ours, ids, { pieces, agentId })
    const data = met.flatMap((session) => {
      const summary = summaries.get(session.session_id)
      return summary === undefined || wasShown(session, summary, after) ? [] : viewOf(summary)
    })
    const next = nextOf(found, met, limit)
    const next_cursor = next === null ? null : writeCursor(next, { ...texts })
    const applied = { from: range.from, to: range.to, agent_id: texts.agent_id }
    const meta = { next_cursor, limit, ...lagOf(watermark, clock), applied }
    return jsonReply(200, JSON.stringify({ data, meta }))
  }
}

/** A session that has a decision before the page begins was on an earlier one. */
function wasShown(
  { at }: FoundSession,
  { newest }: SessionSummary,
  after: CursorPosition | null
): boolean {
  return after !== null && newest > `${at.sort_key} ${at.id}`
}

function nextOf(
  { sessions, endsAt }: FoundSessions,
  met: readonly FoundSession[],
  limit: number
): CursorPosition | null {
  return sessions.length > limit ? (met.at(-1)?.at ?? null) : endsAt
}

function viewOf(summary: SessionSummary) {
  const { session_id, decisions, first, last, agents, input_tokens, output_tokens } = summary
  return {
    session_id,
    decisions: Math.min(decisions, sessionDecisionsMax),
    has_more_decisions: decisions > sessionDecisionsMax,
    first_received_at: first,
    last_received_at: last,
    agent_ids: agents.toSorted().slice(0, sessionAgentsMax),
    ...{ input_tokens, output_tokens },
    verdicts: summary.verdicts
  }
}

export const sessionFromDefault = '-90d'

/** In the order in which they came, as a conversation is read. */
export function createReadSession(dependencies: ListDecisionsDependencies): SessionHandle {
  return function readSession(call) {
    const ours = dependencies.store.of(call.principal.organization_id)
    const session_id = call.params['session_id'] ?? ''
    const asked = { from: sessionFromDefault, sort: 'received_at', ...call.query, session_id }
    return answerDecisions(dependencies, ours, readListQuery(asked))
  }
}
