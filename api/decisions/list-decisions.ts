/** Lists decisions: responds with a page of summaries, with full texts if requested. */
import type { Clock } from '../../core/clock.ts'
import { formatCursor } from '../../core/cursor.ts'
import { jsonReply } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import type { EvaluationView } from '../evaluation-view.ts'
import { timePageOf, upToBytes } from '../page.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeRange } from '../time-range.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { filterTextsOf, hasPayloads, otherCharactersMax, payloadBytesMax } from './list-query.ts'
import { readSortOrder } from './list-query.ts'
import type { DecisionQuery, Inclusion } from './list-query.ts'
import { selectPayloads, selectSettled, selectSummaries, sumDecisions } from './queries.ts'
import type { SummaryRow } from './queries.ts'
import type { PageMeta } from './schemas.ts'
import { summaryOf } from './views.ts'
import { countDecisions, selectDecisionPage } from './walk-decisions.ts'
import type { DecisionPage } from './walk-decisions.ts'

type ReadEvaluations = Services['readEvaluations']

export async function listDecisions(
  { readEvaluations, decisionsTopic, clock }: Services,
  store: OrganizationStore,
  query: DecisionQuery
): Promise<Reply> {
  const texts = filterTextsOf(query)
  const order = readSortOrder(query.sort) ?? { kind: 'time', descending: true }
  const { filters, limit, include, sort } = query
  const { range, after } = timePageOf(texts, query.cursor, clock.now())
  // Read the watermark before the rows, so that the rows include everything up to it.
  const watermark = await readWatermark(store, decisionsTopic)
  const page = await selectDecisionPage(store, { range, after, filters, order, limit }, clock)
  const rendered = await renderDecisions(store, { page, include }, readEvaluations)
  const count = await countOf(store, { range, filters, count: query.count }, clock)
  const next_cursor = rendered.next === null ? null : formatCursor(rendered.next, texts)
  const applied = { from: range.from, to: range.to, ...filters, sort }
  const meta: PageMeta = { next_cursor, limit, ...lagOf(watermark, clock), applied, ...count }
  return jsonReply(200, `{"data":[${rendered.texts.join(',')}],"meta":${JSON.stringify(meta)}}`)
}

const summed = new Set(['agent_id', 'domain'])

/**
 * Counts the matching decisions. An estimate is computed from hourly sums if they support all the
 * filters; otherwise, the decisions are counted exactly, up to a limit.
 */
async function countOf(
  store: OrganizationStore,
  { range, filters, count }: { range: TimeRange } & Pick<DecisionQuery, 'filters' | 'count'>,
  clock: Clock
): Promise<Pick<PageMeta, 'count'>> {
  if (count === null) return {}
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  if (count === 'exact' || given.some(([name]) => !summed.has(name))) {
    return { count: await countDecisions(store, { range, filters }, clock) }
  }
  return { count: { value: await sumDecisions(store, range, filters), relation: 'about' } }
}

/** Renders each decision on a page as a JSON text. */
export async function renderDecisions(
  store: OrganizationStore,
  { page, include }: { page: DecisionPage; include: readonly Inclusion[] },
  readEvaluations: ReadEvaluations
) {
  const all = await selectSummaries(store, page.keys)
  const rows = hasPayloads(include) ? upToBytes(all, payloadBytesMax) : all
  const payloads = await selectPayloads(store, hasPayloads(include) ? rows : [])
  const nextView = await createNextView(store, { rows, include }, readEvaluations)
  const charactersMax = otherCharactersMax + (hasPayloads(include) ? payloadBytesMax : 0)
  const texts: string[] = []
  let characters = 0
  for (const row of rows) {
    // Render at least one decision, so that the next page starts further on.
    if (texts.length > 0 && characters > charactersMax) break
    const evaluation = await nextView(row.decision_id)
    const summary = JSON.stringify(summaryOf(row, evaluation)).slice(1, -1)
    const payload = payloads.get(row.decision_id)
    const members = [...new Set(include)].map((name) => {
      if (name === 'scores') return `"scores":${JSON.stringify(evaluation.scores ?? {})}`
      return `"${name}":${payload?.[name] ?? 'null'}`
    })
    const text = `{${[summary, ...members].join(',')}}`
    texts.push(text)
    characters += text.length
  }
  const last = rows[texts.length - 1]
  const isCut = texts.length < all.length && last !== undefined
  return { texts, next: isCut ? positionOf(last, page) : page.next }
}

type EvaluatedRow = Pick<SummaryRow, 'decision_id' | 'received_at'>

/**
 * Prepares to read the evaluations of the decisions on a page. Unless `include` names `scores`,
 * reads finished evaluations without their runs and scores.
 * @returns a function that returns the evaluation of a decision; call it in the order of `rows`
 */
export async function createNextView(
  store: OrganizationStore,
  { rows, include }: { rows: readonly EvaluatedRow[]; include: readonly Inclusion[] },
  readEvaluations: ReadEvaluations
) {
  const settled = include.includes('scores') ? null : await selectSettled(store, rows)
  const ids = rows.map(({ decision_id }) => decision_id)
  const others = ids.filter((id) => settled?.has(id) !== true)
  const evaluations = readEvaluations(store, others)[Symbol.asyncIterator]()
  return async function nextView(
    decisionId: string
  ): Promise<Pick<EvaluationView, 'status' | 'verdict'> & Partial<EvaluationView>> {
    const known = settled?.get(decisionId)
    if (known !== undefined) return known
    const next = await evaluations.next()
    if (next.done === true || next.value[0] !== decisionId) throw new Error('read out of order')
    return evaluationViewOf(next.value[1])
  }
}

/**
 * Returns the position to store in the cursor. If the list is sorted by a value, the position
 * includes the value.
 */
function positionOf({ decision_id: id }: SummaryRow, { keys, isByValue }: DecisionPage) {
  const key = keys.find(({ decision_id }) => decision_id === id)
  if (key === undefined) return null
  const { sort_key, value } = key
  return isByValue ? { sort_key, id, value } : { sort_key, id }
}
