/** One decision as the table holds it. */
import type { Row } from '../platform/postgres/postgres.ts'
import type { OrganizationStore } from './store.ts'

export interface DecisionRow {
  readonly decision_id: string
  readonly received_at: Date
  readonly stored_at: Date
  /** JSON text, as are `output` and `metadata`. */
  readonly input: string
  readonly output: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly metadata: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sdk_version: string | null
}

/**
 * The day of a decision, from the table that knows it. As a subquery it is known before the
 * partitions are opened, so that one of them is read; a join reads them all.
 */
export const receivedAt = `select i.received_at
                             from decision_ids i
                            where i.organization_id = $1
                              and i.decision_id = $2`

export async function selectDecision(
  store: OrganizationStore,
  decisionId: string
): Promise<DecisionRow | null> {
  const rows = await store.query<DecisionRow & Row>(
    `select d.decision_id, d.received_at, d.stored_at, d.input, d.output, d.agent_id, d.session_id,
            d.domain, d.metadata, d.input_tokens, d.output_tokens, d.sdk_version
       from decisions d
      where d.organization_id = $1
        and d.decision_id = $2
        and d.received_at = (${receivedAt})`,
    [store.organizationId, decisionId]
  )
  return rows[0] ?? null
}

/** When it was stored, without its texts; null when it is not there. */
export async function selectStoredAt(
  store: OrganizationStore,
  decisionId: string
): Promise<Date | null> {
  const rows = await store.query<{ stored_at: Date }>(
    `select d.stored_at
       from decisions d
      where d.organization_id = $1
        and d.decision_id = $2
        and d.received_at = (${receivedAt})`,
    [store.organizationId, decisionId]
  )
  return rows[0]?.stored_at ?? null
}

/**
 * Which of these decisions are stored. Their days are values of the second statement, so that it
 * looks into those partitions alone.
 */
export async function selectStoredIds(
  store: OrganizationStore,
  decisionIds: readonly string[]
): Promise<ReadonlySet<string>> {
  const identities = await store.query<{ received_at: Date }>(
    `select distinct received_at
       from decision_ids
      where organization_id = $1
        and decision_id = any($2::uuid[])
        and erased_at is null`,
    [store.organizationId, decisionIds]
  )
  if (identities.length === 0) return new Set()
  const rows = await store.query<{ decision_id: string }>(
    `select decision_id
       from decisions
      where organization_id = $1
        and decision_id = any($2::uuid[])
        and received_at = any($3::timestamptz[])`,
    [store.organizationId, decisionIds, identities.map(({ received_at }) => received_at)]
  )
  return new Set(rows.map(({ decision_id }) => decision_id))
}
