/** A page of decisions as it is answered: summaries, and whole texts where they are asked for. */
import type { CursorPosition } from '../../../core/cursor.ts'
import { evaluationViewOf } from '../../evaluation-view.ts'
import type { KnownEvaluation, ReadEvaluations } from '../../read-evaluations.ts'
import type { OrganizationStore } from '../../store.ts'
import { upToBytes } from '../../up-to-bytes.ts'
import type { DecisionPage } from './decision-page.ts'
import type { Inclusion } from './decision-query.ts'
import { selectPayloads, selectSummaries } from './decision-summaries.ts'
import type { SummaryRow } from './decision-summaries.ts'
import { otherCharactersMax, payloadBytesMax } from './payload-limits.ts'
import { hasPayloads } from './read-query.ts'
import type { DecisionKey } from './scan-decisions.ts'
import { selectSettled } from './settled-evaluations.ts'
import { summaryText } from './summary-text.ts'
import type { SummaryParts } from './summary-text.ts'

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
  const rows = hasPayloads(include) ? upToBytes(all, payloadBytesMax) : all
  const payloads = await selectPayloads(store, hasPayloads(include) ? rows : [])
  const nextView = await createNextView({ store, rows, include }, readEvaluations)
  const charactersMax = otherCharactersMax + (hasPayloads(include) ? payloadBytesMax : 0)
  const texts: string[] = []
  let characters = 0
  for (const row of rows) {
    // One at least, so that every page goes on.
    if (texts.length > 0 && characters > charactersMax) break
    const evaluation = await nextView(row.decision_id)
    const payload = payloads.get(row.decision_id) ?? null
    const text = summaryText({ row, evaluation, payload, include })
    texts.push(text)
    characters += text.length
  }
  const last = rows[texts.length - 1]
  const isCut = texts.length < all.length && last !== undefined
  return { texts, next: isCut ? positionOf(keyOf(page.keys, last), page) : page.next }
}

interface Viewing {
  readonly store: OrganizationStore
  readonly rows: readonly SummaryRow[]
  readonly include: readonly Inclusion[]
}

/** @returns the evaluation of a decision; to be called for the ids in their order. */
async function createNextView(
  { store, rows, include }: Viewing,
  readEvaluations: ReadEvaluations
): Promise<(decisionId: string) => Promise<SummaryParts['evaluation']>> {
  const settled = include.includes('scores') ? null : await selectSettled(store, rows)
  const ids = rows.map(({ decision_id }) => decision_id)
  const others = ids.filter((id) => settled?.has(id) !== true)
  const evaluations = readEvaluations(store, others)[Symbol.asyncIterator]()
  return async function nextView(decisionId) {
    const known = settled?.get(decisionId)
    if (known !== undefined) return known
    const next = await evaluations.next()
    return evaluationViewOf(next.done === true ? nothing : next.value[1])
  }
}

const nothing: KnownEvaluation = Object.freeze({ plan: null, runs: [] })

function keyOf(keys: readonly DecisionKey[], { decision_id }: SummaryRow): DecisionKey | undefined {
  return keys.find((key) => key.decision_id === decision_id)
}

/** In a list that is sorted by a value the cursor holds it. */
function positionOf(key: DecisionKey | undefined, { isByValue }: DecisionPage) {
  if (key === undefined) return null
  const { sort_key, decision_id: id, value } = key
  return isByValue ? { sort_key, id, value } : { sort_key, id }
}
