/** How far storage has come: it tells "there is no such decision" from "not there yet". */
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { OrganizationStore } from './store.ts'

/** Everything that the log held at `as_of` is stored. */
export interface Watermark {
  /** Null while storage has not reported yet. */
  readonly as_of: Date | null
}

const retryAfterSeconds = '1'

export async function readWatermark(store: OrganizationStore, topic: string): Promise<Watermark> {
  const rows = await store.query<{ as_of: Date | null }>(
    // A partition that was never settled yet reports the epoch.
    `select nullif(min(as_of), 'epoch') as as_of from storage_progress where topic = $1`,
    [topic]
  )
  return { as_of: rows[0]?.as_of ?? null }
}

/** The two members under which lists and refusals report it. */
export function lagOf({ as_of }: Watermark, clock: Clock) {
  if (as_of === null) return { as_of: null, lag_ms: null }
  return { as_of: as_of.toISOString(), lag_ms: Math.max(0, clock.now() - as_of.getTime()) }
}

/**
 * A decision that was acknowledged before `askedAt` is stored once the watermark has passed that
 * moment; until then asking again may find it. An id of another organization answers the same.
 */
export function decisionNotFound(watermark: Watermark, askedAt: number, clock: Clock): Problem {
  const retryable = watermark.as_of === null || watermark.as_of.getTime() < askedAt
  return new Problem('decision_not_found', {
    detail: retryable
      ? 'It is not stored yet, if it exists at all: storage has not caught up with this request.'
      : 'There is none with this id; all that was accepted before this request is stored.',
    members: { ...lagOf(watermark, clock), retryable },
    ...(retryable ? { headers: { 'retry-after': retryAfterSeconds } } : {})
  })
}
