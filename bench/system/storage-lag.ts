/** Measures how long decisions wait to be stored, by agent. */
import { followGroup } from './follow-group.ts'
import type { FollowedGroup } from './follow-group.ts'
import { openPostgres } from './open-postgres.ts'
import type { Bench } from '../row.ts'
import { decisionsTopic } from '../rows/gateway.ts'
import { startGroup } from './start-group.ts'

export interface StoredAfter {
  readonly agent_id: string
  readonly stored: number
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface StorageLag extends FollowedGroup {
  readonly pid: number
  /**
   * Returns the delay from acceptance to storage by agent, for decisions received between `from`
   * and `to`.
   */
  readDelays(from: number, to: number): Promise<StoredAfter[]>
}

/** Default of STORAGE_GROUP_ID. */
const groupId = 'sluice-storage'
const statementTimeoutMs = 60_000

const delays = `
  select agent_id, count(*)::int as stored,
    percentile_disc(0.5) within group (order by ms) as p50_ms,
    percentile_disc(0.99) within group (order by ms) as p99_ms
  from (
    select agent_id, extract(epoch from stored_at - received_at)::float8 * 1000 as ms
    from decisions where received_at >= $1 and received_at < $2
  ) as decided
  group by agent_id`

export async function startStorage(bench: Bench): Promise<StorageLag> {
  const pid = await startGroup(bench, { role: 'storage' })
  const group = followGroup(bench, { groupId, topic: decisionsTopic })
  const postgres = openPostgres(bench, { statementTimeoutMs })
  return {
    pid,
    ...group,
    readDelays: (from, to) =>
      postgres.query<Record<string, unknown> & StoredAfter>(delays, [new Date(from), new Date(to)])
  }
}
