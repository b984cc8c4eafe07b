/** Finds the webhooks that receive completed evaluations, and limits their pending deliveries. */
import type { Clock } from '../../core/clock.ts'
import type { WebhookEvent } from '../../core/webhook.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

export interface Subscription {
  readonly webhookIds: readonly string[]
  /** Returns the number of deliveries that may be inserted, and counts them as pending. */
  admit(deliveries: number): number
}

/** Returns subscriptions by organization. An organization without webhooks has no entry. */
export type Subscribers = (
  transaction: Queryable,
  organizationIds: Iterable<string>
) => Promise<ReadonlyMap<string, Subscription>>

interface SubscribersOptions {
  readonly clock: Clock
  /**
   * Maximum number of pending deliveries per organization. Tests set a lower one than
   * `pendingDeliveriesMax`.
   */
  readonly pendingMax?: number
}

/**
 * Maximum number of pending deliveries per organization. Concurrent writers can exceed it by the
 * deliveries that they insert between two counts.
 */
const pendingDeliveriesMax = 200_000

/** Maximum time until a new webhook receives events. */
const freshMs = 5000
const organizationsMax = 10_000
/** Backlogs below this number are counted on every read, because counting them is fast. */
const countedOftenMax = 1000
/** How long the count of a larger backlog is cached. Counting a large backlog can take 100 ms. */
const countedMs = 30_000
const event: WebhookEvent = 'evaluation.completed'

interface CachedSubscription {
  readonly webhookIds: readonly string[]
  readonly readAt: number
  readonly backlog: Backlog
}

interface Backlog {
  /** Number of deliveries that may still be inserted. */
  room: number
  readonly countedAt: number
}

type WebhooksRow = {
  readonly organization_id: string
  readonly webhook_ids: readonly string[]
  /** Number of waiting deliveries, counted up to `countedOftenMax`. */
  readonly waiting: number
}

export function createSubscribers(options: SubscribersOptions): Subscribers {
  const { clock, pendingMax = pendingDeliveriesMax } = options
  const known = createCache<CachedSubscription>(organizationsMax)

  async function backlogOf(transaction: Queryable, row: WebhooksRow): Promise<Backlog> {
    const { organization_id, waiting } = row
    const now = clock.now()
    if (waiting < countedOftenMax) return { room: pendingMax - waiting, countedAt: 0 }
    const before = known.get(organization_id)?.backlog
    if (before !== undefined && now - before.countedAt < countedMs) return before
    const values = [organization_id, pendingMax]
    const [counted] = await transaction.query<{ waiting: number }>(countWaiting, values)
    return { room: pendingMax - (counted?.waiting ?? 0), countedAt: now }
  }

  async function read(transaction: Queryable, organizationIds: readonly string[]): Promise<void> {
    if (organizationIds.length === 0) return
    const readAt = clock.now()
    const values = [organizationIds, event, countedOftenMax]
    const rows = await transaction.query<WebhooksRow>(selectWebhooks, values)
    const none = { webhookIds: [], readAt, backlog: { room: 0, countedAt: 0 } }
    const missing = new Set(organizationIds)
    for (const row of rows) {
      const backlog = await backlogOf(transaction, row)
      known.set(row.organization_id, { webhookIds: row.webhook_ids, readAt, backlog })
      missing.delete(row.organization_id)
    }
    for (const id of missing) known.set(id, none)
  }

  return async function subscribers(transaction, organizationIds) {
    const ids = [...new Set(organizationIds)]
    const now = clock.now()
    const isFresh = (entry: CachedSubscription | undefined): boolean =>
      entry !== undefined && now - entry.readAt < freshMs
    await read(
      transaction,
      ids.filter((id) => !isFresh(known.get(id)))
    )
    return new Map(
      ids.flatMap((id) => {
        const entry = known.get(id)
        if (entry === undefined || entry.webhookIds.length === 0) return []
        return [[id, subscriptionOf(entry)] as const]
      })
    )
  }
}

/** Counts waiting deliveries. Ignores deliveries that are being sent, because they are few. */
const waitingOf = (organizationId: string, limit: string): string => `
  select count(*) as waiting
    from (select from webhook_deliveries d
           where d.organization_id = ${organizationId}
             and d.status = 'pending' and d.taken_at is null
           limit ${limit}) waiting`

const countWaiting = waitingOf('$1', '$2')

const selectWebhooks = `
  select w.organization_id, array_agg(w.webhook_id) as webhook_ids,
         (${waitingOf('w.organization_id', '$3')}) as waiting
    from webhooks w
   where w.organization_id = any ($1::uuid[])
     and w.enabled and w.deleted_at is null and $2 = any (w.events)
   group by w.organization_id`

function subscriptionOf({ webhookIds, backlog }: CachedSubscription): Subscription {
  return {
    webhookIds,
    admit: (deliveries) => {
      const admitted = Math.max(0, Math.min(backlog.room, deliveries))
      backlog.room -= admitted
      return admitted
    }
  }
}
