/** Stores the result of an attempt, and disables webhooks that keep failing. */
import type { WebhookResponse } from '../../../platform/http-client/post-webhook.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { failedAttemptsMax, failuresMax } from './delivery.ts'
import type { TakenDelivery, DeliveryResult } from './delivery.ts'

interface Conclusion {
  readonly answer: Pick<WebhookResponse, 'http_status' | 'error'>
  readonly result: DeliveryResult
}

/**
 * Matches a delivery only while this process holds the lease. The number of attempts does not
 * identify an attempt, because it restarts when a user resends the delivery.
 */
const isTaken = `organization_id = $1 and delivery_id = $2 and taken_at = $3 and status = 'pending'`

/**
 * Stores the result. If a delivery failed and its webhook is disabled, returns the reason why the
 * webhook is disabled; otherwise returns null.
 */
export async function concludeDelivery(
  store: Queryable,
  delivery: TakenDelivery,
  { answer, result }: Conclusion
): Promise<string | null> {
  const { organization_id, delivery_id, taken_at } = delivery
  const values = [organization_id, delivery_id, taken_at, answer.http_status, answer.error]
  switch (result.kind) {
    case 'delivered':
      await store.query(writeDelivered, values)
      return null
    case 'retry':
      await store.query(writeRetry, [...values, result.waitMs])
      return null
    case 'failed': {
      const reasons = [failuresMax, result.disabledReason]
      const rows = await store.query<{ disabled_reason: string | null }>(writeFailed, [
        ...values,
        ...reasons
      ])
      return rows[0]?.disabled_reason ?? null
    }
  }
}

function writeEnded(status: 'delivered' | 'failed'): string {
  return `
  with ended as (
    update webhook_deliveries
       set status = '${status}', finished_at = now(), taken_at = null,
           http_status = $4, error = $5
     where ${isTaken}
    returning organization_id, webhook_id
  )`
}

const writeDelivered = `${writeEnded('delivered')}
  update webhooks w set failures_in_row = 0, failed_attempts = 0
    from ended
   where w.organization_id = ended.organization_id and w.webhook_id = ended.webhook_id
     and (w.failures_in_row > 0 or w.failed_attempts > 0)`

const writeRetry = `
  with retried as (
    update webhook_deliveries
       set next_attempt_at = now() + make_interval(secs => $6 / 1000.0), taken_at = null,
           http_status = $4, error = $5
     where ${isTaken}
    returning organization_id, webhook_id
  )
  update webhooks w set failed_attempts = w.failed_attempts + 1
    from retried
   where w.organization_id = retried.organization_id and w.webhook_id = retried.webhook_id
     and w.failed_attempts < ${failedAttemptsMax}`

const writeFailed = `${writeEnded('failed')}
  update webhooks w
     set failures_in_row = w.failures_in_row + 1,
         failed_attempts = least(w.failed_attempts + 1, ${failedAttemptsMax}),
         enabled = w.enabled and $7::text is null and w.failures_in_row + 1 < $6,
         disabled_reason = case
           when not w.enabled then w.disabled_reason
           when $7::text is not null then $7
           when w.failures_in_row + 1 >= $6 then 'failing' end,
         updated_at = now()
    from ended
   where w.organization_id = ended.organization_id and w.webhook_id = ended.webhook_id
  returning w.disabled_reason`
