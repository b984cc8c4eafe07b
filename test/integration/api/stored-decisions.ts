/** Builds decisions with their stored outcomes, and inserts their rows, without agents and hourly
 * sums.
 */
import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '../../support/database.ts'

export interface StoredDecision {
  readonly decision_id: string
  readonly received_at: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly input: string
  readonly output: string
  readonly metadata: string | null
  readonly labels: readonly string[]
  readonly model: string | null
  readonly agent_version: string | null
  readonly trace_id: string | null
  readonly parent_decision_id: string | null
  readonly kind: string | null
  readonly name: string | null
  readonly sdk_version: string | null
  readonly latency_ms: number | null
  readonly is_error: boolean | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly outcome: StoredOutcome | null
  /** Number of planned runs. Null if the decision is not planned yet. */
  readonly runs: number | null
}

export interface StoredOutcome {
  readonly status: string
  readonly verdict: string
  readonly scores: Readonly<
    Record<string, { value: number | null; label: string | null; passed: boolean | null }>
  >
}

export function aStoredDecision(overrides: Partial<StoredDecision> = {}): StoredDecision {
  return {
    decision_id: randomUUID(),
    received_at: '2026-01-10T12:00:00.000000Z',
    agent_id: 'refund-agent',
    session_id: null,
    domain: null,
    input: '{}',
    output: '"fine"',
    metadata: null,
    labels: [],
    model: null,
    agent_version: null,
    trace_id: null,
    parent_decision_id: null,
    kind: null,
    name: null,
    sdk_version: null,
    latency_ms: null,
    is_error: null,
    input_tokens: null,
    output_tokens: null,
    outcome: null,
    runs: null,
    ...overrides
  }
}

/** Inserts the rows that the storage group writes. */
export async function storeAll(
  database: TestDatabase,
  organization_id: string,
  decisions: readonly StoredDecision[]
): Promise<void> {
  const store = async (table: string, rows: readonly object[]) => {
    const named = rows.map((row) => ({ organization_id, ...row }))
    const columns = Object.keys(named[0] ?? {}).join(', ')
    if (named.length === 0) return
    await database.query(
      `insert into ${table} (${columns})
       select ${columns} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(named)]
    )
  }
  await store(
    'decision_ids',
    decisions.map(({ decision_id, received_at }) => {
      return { decision_id, received_at, fingerprint: String.raw`\x00` }
    })
  )
  await store(
    'decisions',
    decisions.map(({ outcome: _outcome, runs: _runs, ...row }) => ({
      ...row,
      stored_at: row.received_at
    }))
  )
  await store(
    'evaluations',
    decisions.flatMap(({ outcome, ...row }) => {
      const { decision_id, received_at, agent_id, session_id, domain } = row
      const place = { decision_id, received_at, agent_id, session_id, domain }
      const more = { reason: null, counted: {}, updated_at: received_at, stored_at: received_at }
      return outcome === null ? [] : [{ ...place, ...outcome, ...more }]
    })
  )
  await store(
    'evaluation_plans',
    decisions.flatMap(({ decision_id, received_at, runs }) => {
      const plan = { decision_id, received_at, planned_at: received_at }
      return runs === null ? [] : [{ ...plan, rule_set_version: 1, outcomes: [], runs }]
    })
  )
}
