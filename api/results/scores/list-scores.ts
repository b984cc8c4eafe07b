/** GET /v1/evaluation/scores: stored scores of an organization, the newest first. */
import { writeCursor } from '../../../core/cursor.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { textCondition } from '../../../platform/postgres/text-condition.ts'
import { jsonReply } from '../../../http/call.ts'
import type { PrincipalHandle } from '../../../http/route.ts'
import { evidenceOf } from '../../score-entry.ts'
import type { ListDecisionsDependencies } from '../../decisions/list/list-decisions.ts'
import type { OrganizationStore } from '../../store.ts'
import { resultPageOf } from '../../time-page.ts'
import type { TimePage } from '../../time-page.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import { pageConditions, pageOf, readBoundedRows } from '../bounded-page.ts'
import type { Keyed } from '../bounded-page.ts'
import { filterTextsOf, scoreConditions } from './score-filters.ts'
import type { ScoreFilters } from './score-filters.ts'

export interface ListResultsDependencies extends Omit<
  ListDecisionsDependencies,
  'readEvaluations' | 'decisionsTopic'
> {
  /** Of `decision-evaluations`, which says how far lists of what came of it have come. */
  readonly evaluationsTopic: string
}

export interface ListQuery extends ScoreFilters {
  readonly from?: string
  readonly to?: string
  readonly cursor?: string
  readonly limit: number
}

export interface ScoreRow extends Row, Keyed {
  readonly score_id: string
  readonly evidence: string | null
}

const order = { time: 'evaluated_at', id: 'score_id' } as const
const columns = `s.decision_id, s.name, s.score_id, s.data_type, s.value, s.label, s.passed,
            s.reason, s.normalized, s.threshold, s.range_min, s.range_max, s.direction,
            s.confidence, s.evidence, s.source_kind, s.source_id, s.run_id, s.rule_id,
            s.evaluator_id, s.evaluator, s.evaluator_kind, s.evaluator_version, s.agent_id,
            s.session_id, s.domain, s.evaluated_at`

export function createListScores(dependencies: ListResultsDependencies): PrincipalHandle {
  const { store, evaluationsTopic, clock } = dependencies

  return async function listScores(call) {
    const { cursor, limit, ...filters } = call.query as unknown as ListQuery
    const texts = filterTextsOf(filters)
    const page = resultPageOf(texts, cursor, clock.now())
    const ours = store.of(call.principal.organization_id)
    const watermark = await readWatermark(ours, evaluationsTopic)
    const source = await selectScores(ours, filters, { ...page, rowsMax: limit + 1 })
    const { rows, next } = pageOf([source], { limit, idOf: (row) => row.score_id })
    const next_cursor = next === null ? null : writeCursor(next, texts)
    const meta = { next_cursor, limit, ...lagOf(watermark, clock) }
    return jsonReply(200, JSON.stringify({ data: rows.map(viewOf), meta }))
  }
}

function selectScores(
  store: OrganizationStore,
  filters: ScoreFilters,
  page: TimePage & { rowsMax: number }
) {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const { name } = filters
  const indexed = [
    `organization_id = ${parameter(store.organizationId)}`,
    ...pageConditions(page, order, parameter)
  ]
  const named = name === undefined ? null : textCondition('name', name, parameter(name))
  return readBoundedRows<ScoreRow>(store, {
    sources: [
      { table: 'packed_runs', condition: 'name is not null' },
      { table: 'later_scores', ...(named === null ? {} : { condition: named }) }
    ],
    ...{ columns, ...order, indexed, values, rowsMax: page.rowsMax },
    filters: [...(named === null ? [] : [named]), ...scoreConditions(filters, parameter)]
  })
}

function viewOf({ sort_key: _, ...row }: ScoreRow) {
  return { ...row, evidence: evidenceOf(row.evidence) }
}
