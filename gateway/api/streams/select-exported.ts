/** Rows of an export as the tables hold them, so many bytes at a time. */
import type { Row } from '../../../platform/postgres.ts'
import type { DecisionRow } from '../decision-row.ts'
import type { OrganizationStore } from '../store.ts'
import { selectStates } from './select-summaries.ts'
import type { EvaluationState, Identity } from './select-summaries.ts'

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

/** In the order of `identities`; those that were erased meanwhile are not among them. */
export async function* selectExported(
  store: OrganizationStore,
  identities: readonly Identity[]
): AsyncGenerator<readonly ExportedRow[]> {
  const ids = identities.map(({ decision_id }) => decision_id)
  const states = await selectStates(store, ids)
  for (const chunk of chunksOf(identities, await selectSizes(store, identities))) {
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
async function selectSizes(store: OrganizationStore, identities: readonly Identity[]) {
  const rows = await store.query<Sized>(
    `select decision_id, octet_length(input) + octet_length(output)
              + coalesce(octet_length(metadata), 0) as bytes
       from decisions
      where ${areThese}`,
    valuesOf(store, identities)
  )
  return new Map(rows.map(({ decision_id, bytes }) => [decision_id, bytes]))
}

function selectWhole(store: OrganizationStore, identities: readonly Identity[]) {
  return store.query<DecisionRow & Row>(
    `select decision_id, received_at, stored_at, input, output, agent_id, session_id, domain,
            metadata, input_tokens, output_tokens, sdk_version
       from decisions
      where ${areThese}`,
    valuesOf(store, identities)
  )
}

const areThese = `organization_id = $1
        and decision_id = any($2::uuid[])
        and received_at >= $3
        and received_at < $4`

/** Between the first and the last of them, so that few partitions are opened. */
function valuesOf(store: OrganizationStore, identities: readonly Identity[]): unknown[] {
  const times = identities.map(({ received_at }) => received_at.getTime())
  return [
    store.organizationId,
    identities.map(({ decision_id }) => decision_id),
    // A time here has whole milliseconds.
    new Date(Math.min(...times)).toISOString(),
    new Date(Math.max(...times) + 1).toISOString()
  ]
}

function chunksOf(
  identities: readonly Identity[],
  sizes: ReadonlyMap<string, number>
): readonly (readonly Identity[])[] {
  const chunks: Identity[][] = []
  let bytes = chunkBytesMax
  for (const identity of identities) {
    const size = sizes.get(identity.decision_id) ?? 0
    if (bytes + size > chunkBytesMax) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(identity)
    bytes += size
  }
  return chunks
}
