/** GET /v1/evaluation/runs: runs of an organization, ended and open, the newest first. */
import { writeCursor } from '../../../core/cursor.ts'
import { jsonReply } from '../../../http/call.ts'
import type { PrincipalHandle } from '../../../http/route.ts'
import type { OrganizationStore } from '../../store.ts'
import { resultPageOf } from '../../time-page.ts'
import type { TimePage } from '../../time-page.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import { pageConditions, pageOf, readBoundedRows } from '../bounded-page.ts'
import type { BoundedQuery, BoundedRows, Keyed } from '../bounded-page.ts'
import type { ListResultsDependencies } from '../scores/list-scores.ts'
import { isUnsuccessful, openStatuses, runConditions } from './run-filters.ts'
import { unsuccessfulCondition } from './run-filters.ts'
import type { RunFilters } from './run-filters.ts'
import { endedColumns, openColumns, runRecordOf } from './run-record.ts'
import type { RunRecordRow } from './run-record.ts'
import { filterTextsOf } from '../scores/score-filters.ts'

interface ListQuery extends RunFilters {
  readonly from?: string
  readonly to?: string
  readonly cursor?: string
  readonly limit: number
}

type ListedRun = RunRecordRow & Keyed
type RunPage = TimePage & { readonly filters: RunFilters; readonly rowsMax: number }

export function createListRuns(dependencies: ListResultsDependencies): PrincipalHandle {
  const { store, evaluationsTopic, clock } = dependencies

  return async function listRuns(call) {
    const { cursor, limit, ...given } = call.query as unknown as ListQuery
    const texts = filterTextsOf(given)
    const page = { ...resultPageOf(texts, cursor, clock.now()), filters: given, rowsMax: limit + 1 }
    const ours = store.of(call.principal.organization_id)
    const watermark = await readWatermark(ours, evaluationsTopic)
    // Open ones first: a run that ends between the two is then there twice, and not nowhere.
    const open = await selectOpen(ours, page)
    const ended = await selectEnded(ours, page)
    const stored = new Set(ended.rows.map(({ run_id }) => run_id))
    const waiting = { ...open, rows: open.rows.filter(({ run_id }) => !stored.has(run_id)) }
    const { rows, next } = pageOf([waiting, ended], { limit, idOf: (row) => row.run_id })
    const next_cursor = next === null ? null : writeCursor(next, texts)
    const data = rows.map(({ sort_key: _sortKey, ...row }) => runRecordOf(row))
    const meta = { next_cursor, limit, ...lagOf(watermark, clock) }
    return jsonReply(200, JSON.stringify({ data, meta }))
  }
}

const endedOrder = { time: 'evaluated_at', id: 'run_id' } as const
const openOrder = { time: 'scheduled_at', id: 'run_id' } as const
const none: BoundedRows<ListedRun> = Object.freeze({ rows: [], endsAt: null })

function isOpen(status: string): boolean {
  return (openStatuses as readonly string[]).includes(status)
}

async function selectEnded(store: OrganizationStore, page: RunPage) {
  const { status, status_reason } = page.filters
  if (status !== undefined && isOpen(status)) return none
  const isFew = status !== undefined && isUnsuccessful([status], status_reason)
  return await readBoundedRows<ListedRun>(store, {
    ...boundedQuery(store, page, endedOrder),
    sources: [
      { table: 'packed_runs', ...(isFew ? { condition: 'has_unsuccessful' } : {}) },
      { table: 'later_runs', ...(isFew ? { condition: unsuccessfulCondition } : {}) }
    ],
    columns: endedColumns
  })
}

/** Runs that wait or run; those that have ended are shown when they are stored. */
async function selectOpen(store: OrganizationStore, page: RunPage) {
  const { status } = page.filters
  if (status !== undefined && !isOpen(status)) return none
  return await readBoundedRows<ListedRun>(store, {
    ...boundedQuery(store, page, openOrder),
    sources: [{ table: 'open_runs', condition: `status <> 'finished'` }],
    columns: openColumns
  })
}

function boundedQuery(
  store: OrganizationStore,
  page: RunPage,
  order: Pick<BoundedQuery, 'time' | 'id'>
) {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const { status } = page.filters
  const indexed = [
    `organization_id = ${parameter(store.organizationId)}`,
    ...pageConditions(page, order, parameter)
  ]
  const filters = [
    ...runConditions(page.filters, parameter),
    ...(status === undefined ? [] : [`s.status = ${parameter(status)}`])
  ]
  return { ...order, indexed, filters, values, rowsMax: page.rowsMax }
}
