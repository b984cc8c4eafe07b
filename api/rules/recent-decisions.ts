/** The decisions of late, as far as rules look at them: how many, and the newest of them. */
import type { Decision } from '../../core/decision/decision.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import type { TimeRange } from '../time-range.ts'

/** Without its texts; their lengths tell how many tokens they may have. */
export interface RecentDecision {
  readonly decision: Decision
  readonly characters: number
}

interface RecentRow extends Row {
  readonly decision_id: string
  readonly received_at: Date
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly metadata: string | null
  readonly bytes: number
}

export const sampleMax = 2000
/** Larger ones are left out: all of the sample is held at once. */
export const metadataBytesMax = 8192

export interface DecisionCount {
  readonly decisions: number
  /** When the hour of the first one ever began; null before there is one. */
  readonly since: Date | null
}

/** Exact, from the sums by hour; the hour in which the range begins counts whole. */
export async function countDecisions(
  ours: OrganizationRows,
  { from, to }: Required<TimeRange>
): Promise<DecisionCount> {
  const [row] = await ours.query<DecisionCount & Row>(
    `select coalesce(sum(decisions), 0)::bigint as decisions,
            (select min(hour) from decision_hours where organization_id = $1) as since
       from decision_hours
      where organization_id = $1
        and hour >= date_trunc('hour', $2::timestamptz, 'UTC')
        and hour <= $3`,
    [ours.organizationId, from, to]
  )
  return row ?? { decisions: 0, since: null }
}

/** Newest first; the size of a text is known without reading it. */
export async function readRecent(
  ours: OrganizationRows,
  { from, to }: Required<TimeRange>
): Promise<RecentDecision[]> {
  const rows = await ours.query<RecentRow>(
    `select decision_id, received_at, agent_id, session_id, domain,
            case when octet_length(metadata) <= ${metadataBytesMax} then metadata end as metadata,
            octet_length(input) + octet_length(output) as bytes
       from decisions
      where organization_id = $1
        and received_at >= $2
        and received_at <= $3
      order by received_at desc, decision_id desc
      limit ${sampleMax}`,
    [ours.organizationId, from, to]
  )
  return rows.map((row) => recentOf(ours.organizationId, row))
}

const unread = { input: 'null', output: '', input_tokens: null, output_tokens: null }

function recentOf(organization_id: string, { bytes, ...row }: RecentRow): RecentDecision {
  const received_at = row.received_at.getTime()
  const decision = { ...unread, ...row, organization_id, received_at, sdk_version: null }
  return { decision, characters: bytes }
}
