/** Reads the storage watermark. It distinguishes decisions that are not stored yet from those that
 * do not exist.
 */
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Services } from './services.ts'
import type { OrganizationStore } from './store.ts'

/**
 * The storage watermark of a topic. All records that were in the topic at `as_of` are stored,
 * unless they were erased or dead-lettered.
 */
export interface Watermark {
  /** Null if storage has not reported yet. */
  readonly as_of: Date | null
}

const retryAfterSeconds = '1'

export async function readWatermark(store: OrganizationStore, topic: string): Promise<Watermark> {
  const rows = await store.query<{ as_of: Date | null }>(
    // Partitions without a committed batch report the epoch.
    `select nullif(min(as_of), 'epoch') as as_of from storage_progress where topic = $1`,
    [topic]
  )
  return { as_of: rows[0]?.as_of ?? null }
}

/** Returns the response fields that report the watermark. */
export function lagOf({ as_of }: Watermark, clock: Clock) {
  if (as_of === null) return { as_of: null, lag_ms: null }
  return { as_of: as_of.toISOString(), lag_ms: Math.max(0, clock.now() - as_of.getTime()) }
}

/**
 * Creates a 404 problem. It is retryable until the watermark has passed `requestedAt`; by that
 * point, every decision acknowledged before `requestedAt` is stored, unless it was erased or
 * dead-lettered. Ids of other organizations get the same response.
 */
export function decisionNotFound(watermark: Watermark, requestedAt: number, clock: Clock): Problem {
  const retryable = watermark.as_of === null || watermark.as_of.getTime() < requestedAt
  return new Problem('decision_not_found', {
    detail: retryable
      ? 'The decision is not stored yet, or does not exist. Storage has not caught up with ' +
        'this request. Retry shortly.'
      : 'No decision with this id exists.',
    members: { ...lagOf(watermark, clock), retryable },
    ...(retryable ? { headers: { 'retry-after': retryAfterSeconds } } : {})
  })
}

/** Reads the watermark, and creates the 404 problem of a decision that was not found. */
export async function notStored(
  { decisionsTopic, clock }: Pick<Services, 'decisionsTopic' | 'clock'>,
  store: OrganizationStore,
  requestedAt: number
): Promise<Problem> {
  return decisionNotFound(await readWatermark(store, decisionsTopic), requestedAt, clock)
}
