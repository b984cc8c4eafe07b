/** GET /v1/decisions and POST /v1/decisions/search: decisions as summaries, page by page. */
import type { Clock } from '../../../core/clock.ts'
import { writeCursor } from '../../../core/cursor.ts'
import { Problem } from '../../../core/problem.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Reply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { sentenceOf } from '../../../auth/checked.ts'
import type { ReadEvaluations } from '../../read-evaluations.ts'
import type { OrganizationStore, Store } from '../../store.ts'
import { timePageOf } from '../../time-page.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import { countDecisions, estimateDecisions } from './count-decisions.ts'
import { selectDecisionPage } from './decision-page.ts'
import type { PageQuery } from './decision-page.ts'
import { filterTextsOf } from './decision-query.ts'
import type { DecisionQuery } from './decision-query.ts'
import { readListQuery, readSearch } from './read-query.ts'
import { showDecisions } from './show-decisions.ts'
import { readSortOrder } from './sort-order.ts'

export interface ListDecisionsDependencies {
  readonly store: Store
  readonly readEvaluations: ReadEvaluations
  readonly decisionsTopic: string
  readonly clock: Clock
}

export function createListDecisions(dependencies: ListDecisionsDependencies): SessionHandle {
  return function listDecisions(call) {
    const ours = dependencies.store.of(call.principal.organization_id)
    return answerDecisions(dependencies, ours, readListQuery(call.query))
  }
}

export function createSearchDecisions(dependencies: ListDecisionsDependencies): SessionHandle {
  return async function searchDecisions(call) {
    const ours = dependencies.store.of(call.principal.organization_id)
    try {
      return await answerDecisions(
        dependencies,
        ours,
        readSearch(call.body as Record<string, unknown>)
      )
    } catch (error) {
      throw error instanceof Problem && error.code === 'invalid_query' ? ofBody(error) : error
    }
  }
}

export async function answerDecisions(
  dependencies: ListDecisionsDependencies,
  store: OrganizationStore,
  query: DecisionQuery
): Promise<Reply> {
  const { readEvaluations, decisionsTopic, clock } = dependencies
  const texts = filterTextsOf(query)
  const order = readSortOrder(query.sort) ?? { kind: 'time', descending: true }
  const { filters, limit, include, sort } = query
  const { range, after } = timePageOf(texts, query.cursor, clock.now())
  // The watermark before the rows: whatever it promises is then among them.
  const watermark = await readWatermark(store, decisionsTopic)
  const page = await selectDecisionPage(store, { range, after, filters, order, limit }, clock)
  const shown = await showDecisions(store, { page, include }, readEvaluations)
  const count = await countOf(store, { range, filters, count: query.count }, clock)
  const next_cursor = shown.next === null ? null : writeCursor(shown.next, texts)
  const applied = { from: range.from, to: range.to, ...filters, sort }
  const meta = { next_cursor, limit, ...lagOf(watermark, clock), applied, ...count }
  return jsonReply(200, `{"data":[${shown.texts.join(',')}],"meta":${JSON.stringify(meta)}}`)
}

type Counted = Pick<PageQuery, 'range' | 'filters'> & Pick<DecisionQuery, 'count'>

async function countOf(store: OrganizationStore, { count, ...query }: Counted, clock: Clock) {
  if (count === null) return {}
  const counting = count === 'exact' ? countDecisions : estimateDecisions
  return { count: await counting(store, query, clock) }
}

function ofBody({ options }: Problem): Problem {
  const { errors = [] } = options
  return new Problem('invalid_body', { detail: sentenceOf('The body', errors), errors })
}
