/** A page of decisions as it is answered: summaries, and whole texts where they are asked for. */
import type { CursorPosition } from '../../../core/cursor.ts'
import { evaluationViewOf } from '../../evaluation-view.ts'
import type { ReadEvaluations } from '../../read-evaluations.ts'
import type { OrganizationStore } from '../../store.ts'
import type { DecisionPage } from './decision-page.ts'
import type { Inclusion } from './decision-query.ts'
import { selectPayloads, selectSummaries } from './decision-summaries.ts'
import type { SummaryRow } from './decision-summaries.ts'
import { payloadBytesMax } from './payload-limits.ts'
import { hasPayloads } from './read-query.ts'
import type { DecisionKey } from './scan-decisions.ts'
import { summaryText } from './summary-text.ts'

export interface ShownDecisions {
  /** JSON texts. */
  readonly texts: readonly string[]
  readonly next: CursorPosition | null
}

export async function showDecisions(
  store: OrganizationStore,
  { page, include }: { page: DecisionPage; include: readonly Inclusion[] },
  readEvaluations: ReadEvaluations
): Promise<ShownDecisions> {
  const all = await selectSummaries(store, page.keys)
  const rows = hasPayloads(include) ? upToBytes(all) : all
  const last = rows.at(-1)
  const isCut = rows.length < all.length && last !== undefined
  const keys = isCut ? keysUpTo(page.keys, last) : page.keys
  const payloads = await selectPayloads(store, hasPayloads(include) ? rows : [])
  const ids = rows.map(({ decision_id }) => decision_id)
  const evaluationOf = await readEvaluations(store, ids)
  const texts = rows.map((row) => {
    const evaluation = evaluationViewOf(evaluationOf(row.decision_id))
    const payload = payloads.get(row.decision_id) ?? null
    return summaryText({ row, evaluation, payload, include })
  })
  return { texts, next: isCut ? positionOf(keys.at(-1), page) : page.next }
}

/** One at least, so that every page goes on. */
function upToBytes(rows: readonly SummaryRow[]): readonly SummaryRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes
    return index > 0 && bytes > payloadBytesMax
  })
  return end === -1 ? rows : rows.slice(0, end)
}

function keysUpTo(keys: readonly DecisionKey[], last: SummaryRow): readonly DecisionKey[] {
  return keys.slice(0, keys.findIndex(({ decision_id }) => decision_id === last.decision_id) + 1)
}

/** In a list that is sorted by a value the cursor holds it. */
function positionOf(key: DecisionKey | undefined, { isByValue }: DecisionPage) {
  if (key === undefined) return null
  const { sort_key, decision_id: id, value } = key
  return isByValue ? { sort_key, id, value } : { sort_key, id }
}
