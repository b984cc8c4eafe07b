/** Claims a delivery before it is sent: one process at a time has it, and the attempt counts. */
import type { Job, JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Postgres, Row } from '../../../platform/postgres/postgres.ts'
import { leaseSeconds } from './delivery.ts'
import type { ClaimedDelivery, DeliveryKey } from './delivery.ts'

export interface ClaimDeliveryDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<DeliveryKey>, 'complete'>
}

/** The next attempt is due when the lease is over, unless an answer says otherwise before. */
const claim = `
  update webhook_deliveries d
     set attempts = d.attempts + 1, queued_at = now(),
         next_attempt_at = now() + make_interval(secs => $3)
    from webhooks w
   where d.organization_id = $1 and d.delivery_id = $2
     and d.status = 'pending' and d.next_attempt_at <= now() and d.expires_at > now()
     and w.organization_id = d.organization_id and w.webhook_id = d.webhook_id
     and w.enabled and w.deleted_at is null
  returning d.organization_id, d.delivery_id, d.webhook_id, d.event, d.payload, d.attempts,
            (extract(epoch from d.expires_at - now()) * 1000)::bigint as expires_in_ms,
            w.url, w.secret_sealed,
            case when w.secret_before_until > now() then w.secret_before_sealed end
              as secret_before_sealed`

/** @returns null when there is nothing to send any more; the job is done either way. */
export async function claimDelivery(
  { postgres, queue }: ClaimDeliveryDependencies,
  job: Job<DeliveryKey>
): Promise<ClaimedDelivery | null> {
  const { organization_id, delivery_id } = job.key
  return await postgres.transaction(async (transaction) => {
    const values = [organization_id, delivery_id, leaseSeconds]
    const [claimed] = await transaction.query<ClaimedDelivery & Row>(claim, values)
    await queue.complete(job, transaction)
    return claimed ?? null
  })
}
