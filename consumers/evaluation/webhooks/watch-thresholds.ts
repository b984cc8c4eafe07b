/** Measures each threshold once a minute across all processes, and inserts a delivery when the
 * measured value crosses the threshold.
 */
import type { Clock } from '../../../core/clock.ts'
import { uuidv7 } from '../../../core/ids/ids.ts'
import { thresholdStateOf } from '../../../core/webhook.ts'
import type { ScoreThreshold, ThresholdState, WebhookEvent } from '../../../core/webhook.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { measureThreshold } from './measure-threshold.ts'
import type { Measured } from './measure-threshold.ts'

interface WatchThresholdsDependencies {
  readonly postgres: Queryable
  readonly clock: Clock
  /** When it is aborted, no further threshold is measured. */
  readonly signal: AbortSignal
  /** Called if a threshold cannot be measured. The other thresholds are still measured. */
  readonly onFailure: (webhookId: string, error: unknown) => void
}

const everySeconds = 60

interface WatchedRow extends Row {
  readonly organization_id: string
  readonly webhook_id: string
  readonly name: string
  readonly state: ThresholdState
  /** JSON text. */
  readonly threshold: string
}

/**
 * Measures one threshold per organization in each pass, so that an organization with 20 thresholds
 * does not delay the others.
 */
export async function watchThresholds(dependencies: WatchThresholdsDependencies): Promise<void> {
  const { postgres, clock, signal, onFailure } = dependencies
  const measured = new Set<string>()
  while (!signal.aborted) {
    const watched = await claimOne(postgres, [...measured])
    if (watched === undefined) {
      if (measured.size === 0) return
      measured.clear()
      continue
    }
    measured.add(watched.organization_id)
    try {
      const crossing = await watch(postgres, watched)
      if (crossing !== null)
        await storeCrossing(postgres, watched, { ...crossing, now: clock.now() })
    } catch (error) {
      onFailure(watched.webhook_id, error)
    }
  }
}

/**
 * Claims the most overdue threshold for one minute. Skips organizations for which a threshold has
 * already been measured in this pass.
 */
async function claimOne(
  postgres: Queryable,
  measured: readonly string[]
): Promise<WatchedRow | undefined> {
  const [row] = await postgres.query<WatchedRow>(
    `update webhooks w set threshold_checked_at = now()
       from (select organization_id, webhook_id from webhooks
              where threshold is not null and enabled and deleted_at is null
                and threshold_checked_at <= now() - make_interval(secs => $1)
                and organization_id <> all ($2::uuid[])
              order by threshold_checked_at
              limit 1 for update skip locked) due
      where w.organization_id = due.organization_id and w.webhook_id = due.webhook_id
     returning w.organization_id, w.webhook_id, w.name, w.state, w.threshold`,
    [everySeconds, measured]
  )
  return row
}

/**
 * Returns the new state of a threshold, or null if the state is unchanged or there are too few
 * scores.
 */
async function watch(postgres: Queryable, watched: WatchedRow) {
  const threshold = JSON.parse(watched.threshold) as ScoreThreshold
  const measured = await measureThreshold(postgres, watched.organization_id, threshold)
  if (measured === null || measured.n < threshold.min_n) return null
  const state = thresholdStateOf(threshold, watched.state, measured.value)
  return state === watched.state ? null : { state, threshold, measured }
}

interface Crossing {
  readonly state: ThresholdState
  readonly threshold: ScoreThreshold
  readonly measured: Measured
  readonly now: number
}

/**
 * Changes the state and inserts the delivery in one statement. Does nothing if the threshold was
 * edited after the measurement.
 */
async function storeCrossing(
  postgres: Queryable,
  watched: WatchedRow,
  crossing: Crossing
): Promise<void> {
  const { organization_id, webhook_id } = watched
  const event: WebhookEvent =
    crossing.state === 'firing' ? 'threshold.crossed' : 'threshold.recovered'
  const id = uuidv7(crossing.now)
  await postgres.query(
    `with crossed as (
       update webhooks set state = $3, state_since = now()
        where organization_id = $1 and webhook_id = $2 and state <> $3 and threshold = $4
          and enabled and deleted_at is null
       returning organization_id, webhook_id, events
     )
     insert into webhook_deliveries (organization_id, delivery_id, webhook_id, event, payload)
     select organization_id, $5, webhook_id, $6, $7 from crossed where $6 = any (events)`,
    [
      organization_id,
      webhook_id,
      crossing.state,
      watched.threshold,
      id,
      event,
      payloadOf(watched, crossing, { id, event })
    ]
  )
}

function payloadOf(
  { organization_id, webhook_id, name }: WatchedRow,
  { threshold, measured, now }: Crossing,
  { id, event }: { readonly id: string; readonly event: WebhookEvent }
): string {
  const created_at = new Date(now).toISOString()
  const head = { id, type: event, created_at, organization_id, webhook_id, name }
  return JSON.stringify({ ...head, threshold, ...measured })
}
