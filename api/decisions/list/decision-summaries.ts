/** Rows of a page of decisions, and as much of their texts as it holds. */
import { scoresSql } from '../../../store/packed-sql.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { inputStartChars, outputStartChars } from '../../preview.ts'
import type { OrganizationStore } from '../../store.ts'

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
const ofKeys = `organization_id = $1
        and decision_id = any($2::uuid[])
        and received_at = any($3::timestamptz[])`

const sortKey = `to_char(received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const textBytes = `octet_length(input) + octet_length(output)
              + coalesce(octet_length(metadata), 0)`

/** In the order of the keys; what was erased meanwhile is left out. */
export function selectSummaries(
  store: OrganizationStore,
  keys: readonly Place[]
): Promise<readonly SummaryRow[]> {
  return find(keys, store, (places) =>
    selectAt<SummaryRow>(
      store,
      `decision_id, received_at, stored_at,
            left(input, ${inputStartChars}) as input_start,
            left(output, ${outputStartChars}) as output_start,
            agent_id, session_id, domain, model, agent_version, latency_ms, is_error,
            input_tokens, output_tokens, sdk_version, ${sortKey} as sort_key,
            ${textBytes} as bytes`,
      places
    )
  )
}

export interface SizedPlace extends Place, Row {
  /** Of the texts and the scores, in Postgres: nobody reads them for it. */
  readonly bytes: number
}

const bytes = `${textBytes}
              + coalesce((select octet_length(${scoresSql}::text)
                            from evaluations e
                           where e.organization_id = decisions.organization_id
                             and e.decision_id = decisions.decision_id
                             and e.received_at = decisions.received_at), 0) as bytes`

/** Where they are, in the order of the keys; what was erased meanwhile is left out. */
export function selectSizes(
  store: OrganizationStore,
  keys: readonly Place[]
): Promise<readonly SizedPlace[]> {
  const columns = `decision_id, ${sortKey} as sort_key, ${bytes}`
  return find(keys, store, (places) => selectAt<SizedPlace>(store, columns, places))
}

/** The key of an outcome may have the time of a copy that a retry sent: then the id finds it. */
async function find<R extends Place>(
  keys: readonly Place[],
  store: OrganizationStore,
  select: (places: readonly Place[]) => Promise<readonly R[]>
): Promise<readonly R[]> {
  const found = new Map((await select(keys)).map((row) => [row.decision_id, row]))
  const missing = keys.filter(({ decision_id }) => !found.has(decision_id))
  for (const row of await select(await locate(store, missing))) found.set(row.decision_id, row)
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

/** @param columns ours, of decisions. @param places exactly where they are */
export async function selectAt<R extends Row>(
  store: OrganizationStore,
  columns: string,
  places: readonly Place[]
): Promise<readonly R[]> {
  if (places.length === 0) return []
  return await store.query<R>(
    `select ${columns}
       from decisions
      where ${ofKeys}`,
    [
      store.organizationId,
      places.map(({ decision_id }) => decision_id),
      places.map(({ sort_key }) => sort_key)
    ]
  )
}

/** The whole texts, by the ids. */
export async function selectPayloads(
  store: OrganizationStore,
  places: readonly Place[]
): Promise<ReadonlyMap<string, PayloadRow>> {
  const rows = await selectAt<PayloadRow>(store, 'decision_id, input, output, metadata', places)
  return new Map(rows.map((row) => [row.decision_id, row]))
}
