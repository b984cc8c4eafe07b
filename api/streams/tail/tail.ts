/** Streams decisions as they are stored, and changes to their evaluations. */
import type { Clock } from '../../../core/clock.ts'
import type { SessionPrincipal } from '../../../core/principal.ts'
import type { Reply } from '../../../http/call.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import type { OrganizationStore, Store } from '../../store.ts'
import { eventStreamHeaders, openingOf, serverSentEvent } from './events.ts'
import type { TailItem } from './events.ts'
import { selectKeys } from './queries.ts'
import type { TailFilters } from './queries.ts'
import type { TailHub } from './tail-hub.ts'
import type { TailId, TailIdsOf } from './tail-id.ts'
import { createTailListener } from './tail-listener.ts'
import type { TailListener } from './tail-listener.ts'
import { itemsOf, shownMax } from './tail-source.ts'

export interface TailDependencies {
  readonly store: Store
  readonly hub: TailHub
  readonly tailIdsOf: TailIdsOf
  readonly streams: { open(kind: 'tail', organizationId: string): () => void }
  readonly clock: Clock
  /** Aborted on shutdown. */
  readonly stopping: AbortSignal
  readonly liveSessions: Pick<LiveSessions, 'roleOf'>
  readonly timing?: TailTiming
}

export interface TailTiming {
  /** Time without events, in milliseconds, after which a ping is sent. */
  readonly pingMs: number
  readonly sessionCheckMs: number
  /** Maximum duration of a tail in milliseconds. */
  readonly lifetimeMs: number
}

export interface TailRequest {
  readonly principal: SessionPrincipal
  readonly filters: TailFilters
  /**
   * Id of the last event that the client received. If undefined, the tail starts with new
   * decisions.
   */
  readonly lastEventId: string | undefined
}

const timingDefault: TailTiming = Object.freeze({
  pingMs: 15_000,
  sessionCheckMs: 60_000,
  lifetimeMs: 3_600_000
})
const ping = serverSentEvent({ event: 'ping', data: '{}' })

/** Reason why the server ends a tail. */
type Ending = 'stopping' | 'time_over' | 'session_ended'

export function createOpenTail(dependencies: TailDependencies) {
  const { store, hub, tailIdsOf, streams, clock, stopping } = dependencies

  /** @throws {Problem} 503 if too many tails are open or the database is unavailable */
  return async function openTail({ principal, filters, lastEventId }: TailRequest): Promise<Reply> {
    const { organization_id } = principal
    const release = streams.open('tail', organization_id)
    const listener = createTailListener(filters)
    stopping.addEventListener('abort', listener.wake)
    let end = (): void => {}
    let opening = ''
    const close = (): void => {
      stopping.removeEventListener('abort', listener.wake)
      end()
      release()
    }
    try {
      const subscription = await hub.subscribe(organization_id, listener.take)
      end = subscription.end
      const { startId } = subscription
      opening = openingOf(startId)
      if (lastEventId !== undefined) {
        const since = tailIdsOf(organization_id).read(lastEventId)
        if (since === null || isTooOld(since, clock.now())) {
          listener.gap(null)
        } else {
          const db = store.of(organization_id)
          const missed = { filters, since, lastEventId, startId }
          hub.keep(organization_id, await replayMissed(db, listener, missed))
          // Start with the old id: if the client disconnects during the replay, it gets the missed
          // decisions again.
          opening = openingOf(lastEventId)
        }
      }
    } catch (error) {
      close()
      throw error
    }
    const pieces = createPieces(dependencies, listener, { principal, opening })
    return { status: 200, headers: eventStreamHeaders, body: '', stream: { pieces, close } }
  }
}

function createPieces(
  { clock, stopping, liveSessions, timing = timingDefault }: TailDependencies,
  listener: TailListener,
  { principal, opening }: { readonly principal: SessionPrincipal; readonly opening: string }
) {
  const endsAt = clock.now() + timing.lifetimeMs
  let checkAt = 0

  async function endingOf(): Promise<Ending | null> {
    const now = clock.now()
    if (stopping.aborted) return 'stopping'
    if (now >= endsAt) return 'time_over'
    if (now < checkAt) return null
    checkAt = now + timing.sessionCheckMs
    return (await hasEnded(liveSessions, principal)) ? 'session_ended' : null
  }

  return async function* pieces(signal: AbortSignal): AsyncGenerator<string, void> {
    signal.addEventListener('abort', listener.wake)
    yield opening
    for (;;) {
      const text = stopping.aborted ? '' : await listener.next(timing.pingMs)
      if (signal.aborted) return
      const reason = await endingOf()
      if (reason === null) {
        yield text === '' ? ping : text
        continue
      }
      // If the session has ended, do not send the queued events.
      yield reason === 'session_ended' ? bye(reason) : text + bye(reason)
      return
    }
  }
}

/** Checks whether the session has ended. If the check fails, the tail continues. */
async function hasEnded(sessions: Pick<LiveSessions, 'roleOf'>, principal: SessionPrincipal) {
  const role = await sessions.roleOf(principal).catch(() => principal.role)
  return role === null
}

function bye(reason: Ending): string {
  return serverSentEvent({ event: 'bye', data: JSON.stringify({ reason }) })
}

/**
 * Returns the last event id. The header takes precedence: browsers send it when they reconnect,
 * with the unchanged URL of the first request.
 */
export function lastEventIdOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  parameter: string | undefined
): string | undefined {
  const header = headers['last-event-id']
  return typeof header === 'string' && header !== '' ? header : parameter
}

/** Maximum age in milliseconds of an id to replay from. */
const replayMsMax = 86_400_000

interface MissedDecisions extends Pick<TailRequest, 'filters'> {
  /** Id of the last event that the client received, and its parsed form. */
  readonly lastEventId: string
  readonly since: TailId
  /** Id that follows all replayed decisions. Later decisions arrive as updates. */
  readonly startId: string
}

/** Replays the newest missed decisions. If some cannot be replayed, a gap event comes first. */
async function replayMissed(
  store: OrganizationStore,
  listener: TailListener,
  { filters, since, lastEventId, startId }: MissedDecisions
): Promise<readonly TailItem[]> {
  const keys = await selectKeys(store, since, filters)
  const [newest] = keys
  // Send the old id with all decisions but the last. If the client disconnects during the replay,
  // it gets all missed decisions again.
  const idOf = ({ id }: { id: string }): string =>
    id === newest?.decision_id ? startId : lastEventId
  const items = await itemsOf(store, keys.slice(0, shownMax), idOf)
  listener.replay(items, Math.max(0, keys.length - shownMax))
  return items
}

/**
 * Checks whether an id is too old to replay from. An old id sent by a client would make Postgres
 * scan all days since then.
 */
function isTooOld({ position, bounds }: TailId, now: number): boolean {
  const from = bounds?.from ?? Date.parse(position.sort_key)
  return from < now - replayMsMax
}
