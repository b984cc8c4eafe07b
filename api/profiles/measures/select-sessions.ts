/** The sessions of an agent's newest decisions. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import type { HourRange } from '../../stats/hour-range.ts'
import type { OrganizationStore } from '../../store.ts'
import { newestOf } from './select-sample.ts'

export const sessionsMax = 100

interface SessionRow extends Row {
  readonly session_id: string | null
  readonly decisions: number
  readonly first_seen: Date
  readonly last_seen: Date
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sampled: number
  readonly since: Date
  readonly sessions: number
}

/** Those that were used last, the newest first; all of it is of the sample. */
export async function selectSessions(store: OrganizationStore, agentId: string, range: HourRange) {
  const columns = 'received_at, decision_id, session_id, input_tokens, output_tokens'
  const { rows: newest, values } = newestOf(store, agentId, { columns, range })
  const rows = await store.query<SessionRow>(
    `with newest as materialized (
       select * from ${newest} newest
     ), totals as (
       select count(*) as sampled, min(received_at) as since,
              count(distinct session_id) as sessions
         from newest
     ), sessions as (
       select session_id, count(*) as decisions, min(received_at) as first_seen,
              max(received_at) as last_seen, sum(input_tokens)::float8 as input_tokens,
              sum(output_tokens)::float8 as output_tokens
         from newest
        where session_id is not null
        group by session_id
        order by max(received_at) desc, session_id
        limit ${sessionsMax}
     )
     select sessions.*, totals.sampled, totals.since, totals.sessions
       from totals
       left join sessions on true
      order by last_seen desc, session_id`,
    values
  )
  const [first] = rows
  const sample = { n: first?.sampled ?? 0, since: first?.since?.toISOString() ?? null }
  return {
    sessions: rows.flatMap(({ sampled: _, since: __, sessions: ___, ...row }) => {
      return row.session_id === null ? [] : [row]
    }),
    count: first?.sessions ?? 0,
    sample
  }
}
