/** Who is told that a decision's evaluation is complete, and how much may still be written. */
import type { Clock } from '../../core/clock.ts'
import type { WebhookEvent } from '../../core/webhook.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

export interface Subscription {
  readonly webhookIds: readonly string[]
  /** @returns how many of so many deliveries may be written; they count as pending from now on. */
  admit(deliveries: number): number
}

/** @returns subscriptions by organization; one without webhooks has no entry. */
export type Subscribers = (
  transaction: Queryable,
  organizationIds: Iterable<string>
) => Promise<ReadonlyMap<string, Subscription>>

export interface SubscribersOptions {
  readonly clock: Clock
  /** Of an organization; less than `pendingDeliveriesMax` in tests. */
  readonly pendingMax?: number
}

/**
 * Deliveries of an organization that wait to be sent. Processes that write at the same time may
 * exceed it by what the others write between two counts.
 */
export const pendingDeliveriesMax = 200_000

/** How long a new webhook may hear of nothing. */
const freshMs = 5000
const organizationsMax = 10_000
/** So many are counted whenever the webhooks are read. */
const countedOftenMax = 1000
/** How long a count beyond that holds: it may take a tenth of a second. */
const countedMs = 30_000
const event: WebhookEvent = 'evaluation.completed'

interface Known {
  readonly webhookIds: readonly string[]
  readonly askedAt: number
  readonly backlog: Backlog
}

interface Backlog {
  /** Deliveries that may still be written. */
  room: number
  readonly countedAt: number
}

type WebhooksRow = {
  readonly organization_id: string
  readonly webhook_ids: readonly string[]
  /** Up to `countedOftenMax`. */
  readonly waiting: number
}

export function createSubscribers(options: SubscribersOptions): Subscribers {
  const { clock, pendingMax = pendingDeliveriesMax } = options
  const known = createCache<Known>(organizationsMax)

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
    const askedAt = clock.now()
    const values = [organizationIds, event, countedOftenMax]
    const rows = await transaction.query<WebhooksRow>(selectWebhooks, values)
    const none = { webhookIds: [], askedAt, backlog: { room: 0, countedAt: 0 } }
    const missing = new Set(organizationIds)
    for (const row of rows) {
      const backlog = await backlogOf(transaction, row)
      known.set(row.organization_id, { webhookIds: row.webhook_ids, askedAt, backlog })
      missing.delete(row.organization_id)
    }
    for (const id of missing) known.set(id, none)
  }

  return async function subscribers(transaction, organizationIds) {
    const ids = [...new Set(organizationIds)]
    const now = clock.now()
    const isFresh = (entry: Known | undefined): boolean =>
      entry !== undefined && now - entry.askedAt < freshMs
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

/** What is queued or being sent is not counted: it is little. */
const waitingOf = (organizationId: string, limit: string): string => `
  select count(*) as waiting
    from (select from webhook_deliveries d
           where d.organization_id = ${organizationId}
             and d.status = 'pending' and d.queued_at is null
           limit ${limit}) waiting`

const countWaiting = waitingOf('$1', '$2')

const selectWebhooks = `
  select w.organization_id, array_agg(w.webhook_id) as webhook_ids,
         (${waitingOf('w.organization_id', '$3')}) as waiting
    from webhooks w
   where w.organization_id = any ($1::uuid[])
     and w.enabled and w.deleted_at is null and $2 = any (w.events)
   group by w.organization_id`

function subscriptionOf({ webhookIds, backlog }: Known): Subscription {
  return {
    webhookIds,
    admit: (deliveries) => {
      const admitted = Math.max(0, Math.min(backlog.room, deliveries))
      backlog.room -= admitted
      return admitted
    }
  }
}
