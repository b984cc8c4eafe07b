/** What sessions hold within a range: sums of their decisions, piece by piece. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'

export const sessionDecisionsMax = 1000
export const sessionAgentsMax = 10

export interface SessionSummary {
  readonly session_id: string
  readonly decisions: number
  readonly first: Date
  readonly last: Date
  /** Of its newest decision by the agent that is asked for: time with all digits, and id. */
  readonly newest: string
  /** The first ones, by their bytes. */
  readonly agents: readonly string[]
  readonly input_tokens: number
  readonly output_tokens: number
  readonly verdicts: Readonly<Record<'pass' | 'fail' | 'mixed' | 'none', number>>
}

interface PieceRow extends Omit<SessionSummary, 'verdicts' | 'agents'>, Row {
  readonly agents: readonly string[] | null
  readonly pass: number
  readonly fail: number
  readonly mixed: number
}

/** At most some thousand decisions of each are looked at, the newest. */
export async function selectSessions(
  store: OrganizationStore,
  sessionIds: readonly string[],
  { pieces, agentId }: { pieces: readonly TimeRange[]; agentId: string | null }
): Promise<ReadonlyMap<string, SessionSummary>> {
  const found = new Map<string, SessionSummary>()
  for (const piece of pieces) {
    const open = sessionIds.filter((id) => (found.get(id)?.decisions ?? 0) <= sessionDecisionsMax)
    for (const row of await selectPiece(store, open, { ...piece, agentId })) {
      const known = found.get(row.session_id)
      found.set(row.session_id, known === undefined ? summaryOf(row) : joined(known, row))
    }
  }
  return found
}

function selectPiece(
  store: OrganizationStore,
  sessionIds: readonly string[],
  { from, to, agentId }: TimeRange & { agentId: string | null }
): Promise<readonly PieceRow[]> {
  return store.query<PieceRow>(
    `select wanted.session_id, count(*)::integer as decisions, min(d.received_at) as first,
            max(d.received_at) as last, (array_agg(distinct d.agent_id collate "C")
              filter (where d.agent_id is not null))[1:${sessionAgentsMax}] as agents,
            coalesce(max(to_char(d.received_at at time zone 'utc',
                                 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || d.decision_id)
              filter (where $5::text is null or coalesce(d.agent_id, '') = $5), '') as newest,
            coalesce(sum(d.input_tokens), 0)::bigint as input_tokens,
            coalesce(sum(d.output_tokens), 0)::bigint as output_tokens,
            count(*) filter (where o.verdict = 'pass')::integer as pass,
            count(*) filter (where o.verdict = 'fail')::integer as fail,
            count(*) filter (where o.verdict = 'mixed')::integer as mixed
       from unnest($2::text[]) as wanted (session_id)
      cross join lateral (
        select *
          from decisions
         where organization_id = $1
           and session_id collate "C" = wanted.session_id and octet_length(session_id) <= 1024
           and received_at >= $3 and ($4::timestamptz is null or received_at < $4)
         order by received_at desc, decision_id desc
         limit ${sessionDecisionsMax + 1}) as d
       left join evaluations o
         on o.organization_id = d.organization_id and o.decision_id = d.decision_id
        and o.received_at = d.received_at
      group by wanted.session_id`,
    [store.organizationId, sessionIds, from.toISOString(), to?.toISOString() ?? null, agentId]
  )
}

function summaryOf(row: PieceRow): SessionSummary {
  const { session_id, decisions, first, last, newest, input_tokens, output_tokens } = row
  const { pass, fail, mixed, agents } = row
  return {
    ...{ session_id, decisions, first, last, newest, input_tokens, output_tokens },
    agents: agents ?? [],
    verdicts: { pass, fail, mixed, none: decisions - pass - fail - mixed }
  }
}

/** @param row of an earlier piece */
function joined(known: SessionSummary, row: PieceRow): SessionSummary {
  const earlier = summaryOf(row)
  const { verdicts } = known
  return {
    ...known,
    first: earlier.first,
    newest: known.newest === '' ? earlier.newest : known.newest,
    decisions: known.decisions + earlier.decisions,
    agents: [...new Set([...known.agents, ...earlier.agents])],
    input_tokens: known.input_tokens + earlier.input_tokens,
    output_tokens: known.output_tokens + earlier.output_tokens,
    verdicts: {
      pass: verdicts.pass + earlier.verdicts.pass,
      fail: verdicts.fail + earlier.verdicts.fail,
      mixed: verdicts.mixed + earlier.verdicts.mixed,
      none: verdicts.none + earlier.verdicts.none
    }
  }
}
