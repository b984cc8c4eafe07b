/** GET /v1/decisions: the newest decisions of an organization, as summaries, page by page. */
import type { Clock } from '../../core/clock.ts'
import { writeCursor } from '../../core/cursor.ts'
import type { Filters } from '../../core/cursor.ts'
import { jsonReply } from '../call.ts'
import type { SessionHandle } from '../route.ts'
import { selectDecisionPage } from './decision-page.ts'
import type { PageRow } from './decision-page.ts'
import { evaluationViewOf } from './evaluation-view.ts'
import { previewOf, previewOfLiteral } from './preview.ts'
import type { KnownEvaluation, ReadEvaluations } from './read-evaluations.ts'
import type { Store } from './store.ts'
import { timePageOf } from './time-page.ts'
import { lagOf, readWatermark } from './watermark.ts'

export interface ListDecisionsDependencies {
  readonly store: Store
  readonly readEvaluations: ReadEvaluations
  readonly decisionsTopic: string
  readonly clock: Clock
}

interface ListQuery {
  readonly from?: string
  readonly to?: string
  readonly agent_id?: string
  readonly session_id?: string
  readonly domain?: string
  readonly cursor?: string
  readonly limit: number
}

export function createListDecisions(dependencies: ListDecisionsDependencies): SessionHandle {
  const { store, readEvaluations, decisionsTopic, clock } = dependencies

  return async function listDecisions(call) {
    const { cursor, limit, from, to, ...texts } = call.query as unknown as ListQuery
    const filters: Filters = { from, to, ...texts }
    const { range, after } = timePageOf(filters, cursor, clock.now())

    // One row more than was asked for tells whether there is another page.
    const query = { range, ...texts, after, rowsMax: limit + 1 }
    const ours = store.of(call.principal.organization_id)
    // The watermark before the rows: whatever it promises is then among them.
    const watermark = await readWatermark(ours, decisionsTopic)
    const rows = await selectDecisionPage(ours, query)
    const page = rows.slice(0, limit)
    const evaluationOf = await readEvaluations(
      ours,
      page.map((row) => row.decision_id)
    )
    const last = rows.length > limit ? page.at(-1) : undefined
    const next_cursor =
      last === undefined
        ? null
        : writeCursor({ sort_key: last.sort_key, id: last.decision_id }, filters)
    const meta = { next_cursor, limit, ...lagOf(watermark, clock) }
    const data = page.map((row) => summaryOf(row, evaluationOf(row.decision_id)))
    return jsonReply(200, JSON.stringify({ data, meta }))
  }
}

function summaryOf(row: PageRow, known: KnownEvaluation) {
  const input = previewOf(row.input_start)
  const output = previewOfLiteral(row.output_start)
  const { status, verdict } = evaluationViewOf(known)
  return {
    decision_id: row.decision_id,
    received_at: row.received_at,
    stored_at: row.stored_at,
    agent_id: row.agent_id,
    session_id: row.session_id,
    domain: row.domain,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    sdk_version: row.sdk_version,
    input_preview: input.preview,
    input_truncated: input.truncated,
    output_preview: output.preview,
    output_truncated: output.truncated,
    evaluation: { status, verdict }
  }
}
