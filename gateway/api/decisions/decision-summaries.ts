/** Rows of a page of decisions, and as much of their texts as it holds. */
import type { Row } from '../../../platform/postgres.ts'
import { inputStartChars, outputStartChars } from '../preview.ts'
import type { OrganizationStore } from '../store.ts'

/** Where a row is: its id, and `received_at` with all its digits. */
interface Place {
  readonly decision_id: string
  readonly sort_key: string
}

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
  /** `received_at` with all its digits. */
  readonly sort_key: string
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
export const ofKeys = `organization_id = $1
        and decision_id = any($2::uuid[])
        and received_at = any($3::timestamptz[])`

const sortKey = `to_char(received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

export function keyValuesOf(store: OrganizationStore, keys: readonly Place[]) {
  return [
    store.organizationId,
    keys.map(({ decision_id }) => decision_id),
    keys.map(({ sort_key }) => sort_key)
  ]
}

/**
 * In the order of the keys; what was erased meanwhile is left out. The key of an outcome may have
 * the time of a copy that a retry sent: such a decision is looked for by its id.
 */
export async function selectSummaries(
  store: OrganizationStore,
  keys: readonly Place[]
): Promise<readonly SummaryRow[]> {
  const rows = await selectRows(store, keys)
  const found = new Map(rows.map((row) => [row.decision_id, row]))
  const missing = keys.filter(({ decision_id }) => !found.has(decision_id))
  for (const row of await selectRows(store, await locate(store, missing))) {
    found.set(row.decision_id, row)
  }
  return keys.flatMap(({ decision_id }) => found.get(decision_id) ?? [])
}

async function locate(
  store: OrganizationStore,
  places: readonly Place[]
): Promise<readonly Place[]> {
  if (places.length === 0) return []
  return await store.query<Place & Row>(
    `select decision_id, ${sortKey} as sort_key
       from decision_ids
      where organization_id = $1 and decision_id = any($2::uuid[]) and erased_at is null`,
    [store.organizationId, places.map(({ decision_id }) => decision_id)]
  )
}

async function selectRows(
  store: OrganizationStore,
  keys: readonly Place[]
): Promise<readonly SummaryRow[]> {
  if (keys.length === 0) return []
  return await store.query<SummaryRow>(
    `select decision_id, received_at, stored_at,
            left(input, ${inputStartChars}) as input_start,
            left(output, ${outputStartChars}) as output_start,
            agent_id, session_id, domain, model, agent_version, latency_ms, is_error,
            input_tokens, output_tokens, sdk_version,
            ${sortKey} as sort_key,
            octet_length(input) + octet_length(output) + coalesce(octet_length(metadata), 0)
              as bytes
       from decisions
      where ${ofKeys}`,
    keyValuesOf(store, keys)
  )
}

/** The whole texts, by the ids. */
export async function selectPayloads(
  store: OrganizationStore,
  keys: readonly Place[]
): Promise<ReadonlyMap<string, PayloadRow>> {
  if (keys.length === 0) return new Map()
  const rows = await store.query<PayloadRow>(
    `select decision_id, input, output, metadata
       from decisions
      where ${ofKeys}`,
    keyValuesOf(store, keys)
  )
  return new Map(rows.map((row) => [row.decision_id, row]))
}
