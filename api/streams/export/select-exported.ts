/** Rows of an export as the tables hold them, so many bytes at a time. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import type { DecisionRow } from '../../decision-row.ts'
import { selectAt, selectSizes } from '../../decisions/list/decision-summaries.ts'
import type { SizedPlace } from '../../decisions/list/decision-summaries.ts'
import type { DecisionKey } from '../../decisions/list/scan-decisions.ts'
import type { OrganizationStore } from '../../store.ts'
import { selectStates } from '../tail/select-news.ts'
import type { EvaluationState } from '../tail/select-news.ts'

export interface ExportedRow {
  readonly decision: DecisionRow
  /** Null while nothing is known. */
  readonly state: EvaluationState | null
}

/** Of texts and scores that are held and written at once, unless one decision alone has more. */
const chunkBytesMax = 1024 * 1024

/** In the order of `keys`; those that were erased meanwhile are not among them. */
export async function* selectExported(
  store: OrganizationStore,
  keys: readonly DecisionKey[]
): AsyncGenerator<readonly ExportedRow[]> {
  for (const chunk of chunksOf(await selectSizes(store, keys))) {
    const states = await selectStates(
      store,
      chunk.map(({ decision_id }) => decision_id)
    )
    const rows = await selectAt<DecisionRow & Row>(store, columns, chunk)
    const found = new Map(rows.map((row) => [row.decision_id, row]))
    yield chunk.flatMap(({ decision_id }) => {
      const decision = found.get(decision_id)
      if (decision === undefined) return []
      return [{ decision, state: states.get(decision_id) ?? null }]
    })
  }
}

const columns = `decision_id, received_at, stored_at, input, output, agent_id, session_id, domain,
            metadata, input_tokens, output_tokens, sdk_version`

function chunksOf(places: readonly SizedPlace[]): readonly (readonly SizedPlace[])[] {
  const chunks: SizedPlace[][] = []
  let bytes = chunkBytesMax
  for (const place of places) {
    if (bytes + place.bytes > chunkBytesMax) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(place)
    bytes += place.bytes
  }
  return chunks
}
