/** What became of telling a webhook: the list of its deliveries, and sending one again. */
import type { Clock } from '../../core/clock.ts'
import { writeCursor } from '../../core/cursor.ts'
import type { Filters } from '../../core/cursor.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { existing } from '../configuration/refusals.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { timePageOf } from '../time-page.ts'
import type { TimePage } from '../time-page.ts'
import { readWebhook } from './stored-webhook.ts'

interface DeliveryRow extends Row {
  readonly delivery_id: string
  readonly sort_key: string
}

interface DeliveriesQuery {
  readonly from?: string
  readonly to?: string
  readonly status?: string
  readonly cursor?: string
  readonly limit: number
}

export interface DeliveriesDependencies {
  readonly store: Store
  readonly clock: Clock
}

const columns = `
  delivery_id, event, decision_id, status, attempts, http_status, error, created_at,
  case when status = 'pending' then next_attempt_at end as next_attempt_at, finished_at`

export function createDeliveries({ store, clock }: DeliveriesDependencies) {
  const listDeliveries: SessionHandle = async ({ principal, params, query }) => {
    const { cursor, limit, from, to, status } = query as unknown as DeliveriesQuery
    const webhookId = params['webhook_id'] ?? ''
    const filters: Filters = { from, to, status, webhook_id: webhookId }
    const page = timePageOf(filters, cursor, clock.now())
    const ours = store.of(principal.organization_id)
    existing('webhook', await readWebhook(ours, webhookId), webhookId)
    const rows = await selectPage(ours, { webhookId, status, page, rowsMax: limit + 1 })
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    const next_cursor =
      last === undefined
        ? null
        : writeCursor({ sort_key: last.sort_key, id: last.delivery_id }, filters)
    const data = shown.map(({ sort_key: _, ...delivery }) => delivery)
    return jsonReply(200, JSON.stringify({ data, meta: { next_cursor, limit } }))
  }

  const redeliver: SessionHandle = async ({ principal, params }) => {
    const { webhook_id = '', delivery_id = '' } = params
    const ours = store.of(principal.organization_id)
    existing('webhook', await readWebhook(ours, webhook_id), webhook_id)
    const [row] = await ours.change((transaction) =>
      transaction.query<DeliveryRow>(sendAgain, [ours.organizationId, webhook_id, delivery_id])
    )
    const sent = existing('delivery', row ?? null, delivery_id)
    return jsonReply(202, JSON.stringify(sent))
  }

  return { listDeliveries, redeliver }
}

/** Under its old id and with what it said then; one that waits is due at once. */
const sendAgain = `
  update webhook_deliveries
     set status = 'pending', attempts = 0, next_attempt_at = now(), queued_at = null,
         expires_at = now() + interval '24 hours', finished_at = null
   where organization_id = $1 and webhook_id = $2 and delivery_id = $3
  returning ${columns}`

interface PageRequest {
  readonly webhookId: string
  readonly status: string | undefined
  readonly page: TimePage
  readonly rowsMax: number
}

function selectPage(ours: OrganizationRows, request: PageRequest): Promise<DeliveryRow[]> {
  const { webhookId, status, page, rowsMax } = request
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions = [
    `organization_id = ${parameter(ours.organizationId)}`,
    `webhook_id = ${parameter(webhookId)}`,
    `created_at >= ${parameter(page.range.from)}`,
    ...(page.range.to === null ? [] : [`created_at < ${parameter(page.range.to)}`]),
    ...(status === undefined ? [] : [`status = ${parameter(status)}`])
  ]
  if (page.after !== null) {
    const { sort_key, id } = page.after
    const place = `(${parameter(sort_key)}::timestamptz, ${parameter(id)}::uuid)`
    conditions.push(`(created_at, delivery_id) < ${place}`)
  }
  return ours.query<DeliveryRow>(
    `select ${columns},
            to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key
       from webhook_deliveries
      where ${conditions.join(' and ')}
      order by created_at desc, delivery_id desc
      limit ${rowsMax}`,
    values
  )
}
