/** Rows of an export as the tables hold them, so many bytes at a time. */
import type { Row } from '../../../platform/postgres.ts'
import type { DecisionRow } from '../decision-row.ts'
import { keyValuesOf, ofKeys } from '../decisions/decision-summaries.ts'
import type { DecisionKey } from '../decisions/scan-decisions.ts'
import type { OrganizationStore } from '../store.ts'
import { selectStates } from './select-news.ts'
import type { EvaluationState } from './select-news.ts'

export interface ExportedRow {
  readonly decision: DecisionRow
  /** Null while nothing is known. */
  readonly state: EvaluationState | null
}

interface Sized extends Row {
  readonly decision_id: string
  readonly bytes: number
}

/** Texts that are held at once, unless one decision alone has more. */
const chunkBytesMax = 4 * 1024 * 1024

/** In the order of `keys`; those that were erased meanwhile are not among them. */
export async function* selectExported(
  store: OrganizationStore,
  keys: readonly DecisionKey[]
): AsyncGenerator<readonly ExportedRow[]> {
  const ids = keys.map(({ decision_id }) => decision_id)
  const states = await selectStates(store, ids)
  for (const chunk of chunksOf(keys, await selectSizes(store, keys))) {
    const rows = await selectWhole(store, chunk)
    const found = new Map(rows.map((row) => [row.decision_id, row]))
    yield chunk.flatMap(({ decision_id }) => {
      const decision = found.get(decision_id)
      if (decision === undefined) return []
      return [{ decision, state: states.get(decision_id) ?? null }]
    })
  }
}

/** The server knows how long a text is without reading it. */
async function selectSizes(store: OrganizationStore, keys: readonly DecisionKey[]) {
  const rows = await store.query<Sized>(
    `select decision_id, octet_length(input) + octet_length(output)
              + coalesce(octet_length(metadata), 0) as bytes
       from decisions
      where ${ofKeys}`,
    keyValuesOf(store, keys)
  )
  return new Map(rows.map(({ decision_id, bytes }) => [decision_id, bytes]))
}

function selectWhole(store: OrganizationStore, keys: readonly DecisionKey[]) {
  return store.query<DecisionRow & Row>(
    `select decision_id, received_at, stored_at, input, output, agent_id, session_id, domain,
            metadata, input_tokens, output_tokens, sdk_version
       from decisions
      where ${ofKeys}`,
    keyValuesOf(store, keys)
  )
}

function chunksOf(
  keys: readonly DecisionKey[],
  sizes: ReadonlyMap<string, number>
): readonly (readonly DecisionKey[])[] {
  const chunks: DecisionKey[][] = []
  let bytes = chunkBytesMax
  for (const key of keys) {
    const size = sizes.get(key.decision_id) ?? 0
    if (bytes + size > chunkBytesMax) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(key)
    bytes += size
  }
  return chunks
}
