/** Rows of a page of decisions, and as much of their texts as it holds. */
import type { Row } from '../../../platform/postgres.ts'
import { inputStartChars, outputStartChars } from '../preview.ts'
import type { OrganizationStore } from '../store.ts'
import type { DecisionKey } from './scan-decisions.ts'

export interface SummaryRow extends Row {
  readonly decision_id: string
  readonly received_at: Date
  readonly stored_at: Date
  readonly input_start: string
  readonly output_start: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly model: string | null
  readonly agent_version: string | null
  readonly latency_ms: number | null
  readonly is_error: boolean | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sdk_version: string | null
  /** Of the texts, in the store. */
  readonly bytes: number
}

export interface PayloadRow extends Row {
  readonly decision_id: string
  readonly input: string
  readonly output: string
  readonly metadata: string | null
}

/** Their days are values, so that only those are opened. */
const ofKeys = `organization_id = $1
        and decision_id = any($2::uuid[])
        and received_at = any($3::timestamptz[])`

function valuesOf(store: OrganizationStore, keys: readonly DecisionKey[]) {
  return [
    store.organizationId,
    keys.map(({ decision_id }) => decision_id),
    keys.map(({ sort_key }) => sort_key)
  ]
}

/** In the order of the keys; what was erased meanwhile is left out. */
export async function selectSummaries(
  store: OrganizationStore,
  keys: readonly DecisionKey[]
): Promise<readonly SummaryRow[]> {
  if (keys.length === 0) return []
  const rows = await store.query<SummaryRow>(
    `select decision_id, received_at, stored_at,
            left(input, ${inputStartChars}) as input_start,
            left(output, ${outputStartChars}) as output_start,
            agent_id, session_id, domain, model, agent_version, latency_ms, is_error,
            input_tokens, output_tokens, sdk_version,
            octet_length(input) + octet_length(output) + coalesce(octet_length(metadata), 0)
              as bytes
       from decisions
      where ${ofKeys}`,
    valuesOf(store, keys)
  )
  const byId = new Map(rows.map((row) => [row.decision_id, row]))
  return keys.flatMap(({ decision_id }) => byId.get(decision_id) ?? [])
}

/** The whole texts, by the ids. */
export async function selectPayloads(
  store: OrganizationStore,
  keys: readonly DecisionKey[]
): Promise<ReadonlyMap<string, PayloadRow>> {
  if (keys.length === 0) return new Map()
  const rows = await store.query<PayloadRow>(
    `select decision_id, input, output, metadata
       from decisions
      where ${ofKeys}`,
    valuesOf(store, keys)
  )
  return new Map(rows.map((row) => [row.decision_id, row]))
}
