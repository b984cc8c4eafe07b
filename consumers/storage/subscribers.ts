/** Who is told that a decision's evaluation is complete; asked for every few seconds at most. */
import type { Clock } from '../../core/clock.ts'
import type { WebhookEvent } from '../../core/webhook.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

/** @returns ids of webhooks by organization; one without any has no entry. */
export type Subscribers = (
  transaction: Queryable,
  organizationIds: Iterable<string>
) => Promise<ReadonlyMap<string, readonly string[]>>

/** How long a new webhook may hear of nothing. */
const freshMs = 5000
const organizationsMax = 10_000
const event: WebhookEvent = 'evaluation.completed'

interface Known {
  readonly webhookIds: readonly string[]
  readonly askedAt: number
}

type WebhookRow = { readonly organization_id: string; readonly webhook_id: string }

export function createSubscribers({ clock }: { readonly clock: Clock }): Subscribers {
  const known = createCache<Known>(organizationsMax)

  return async function subscribers(transaction, organizationIds) {
    const ids = [...new Set(organizationIds)]
    const askedAt = clock.now()
    const isFresh = (entry: Known | undefined): boolean =>
      entry !== undefined && askedAt - entry.askedAt < freshMs
    const stale = ids.filter((id) => !isFresh(known.get(id)))
    const found = await readWebhooks(transaction, stale)
    for (const id of stale) known.set(id, { webhookIds: found.get(id) ?? [], askedAt })
    return new Map(
      ids.flatMap((id) => {
        const webhookIds = known.get(id)?.webhookIds ?? []
        return webhookIds.length > 0 ? [[id, webhookIds] as const] : []
      })
    )
  }
}

async function readWebhooks(transaction: Queryable, organizationIds: readonly string[]) {
  if (organizationIds.length === 0) return new Map<string, string[]>()
  const rows = await transaction.query<WebhookRow>(
    `select organization_id, webhook_id
       from webhooks
      where organization_id = any ($1::uuid[])
        and enabled and deleted_at is null and $2 = any (events)`,
    [organizationIds, event]
  )
  const byOrganization = Map.groupBy(rows, ({ organization_id }) => organization_id)
  return new Map(
    [...byOrganization].map(([id, own]) => [id, own.map(({ webhook_id }) => webhook_id)])
  )
}
