/** GET /v1/decisions/tail: decisions as they are stored, and what their evaluation comes to. */
import type { Clock } from '../../../core/clock.ts'
import type { SessionPrincipal } from '../../../core/principal.ts'
import type { Reply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import type { Store } from '../../store.ts'
import type { OpenStreams } from '../open-streams.ts'
import { replayMissed } from './replay-missed.ts'
import { eventStreamHeaders, openingOf, serverSentEvent } from './server-sent-event.ts'
import type { TailFilters } from './tail-filters.ts'
import type { TailHub } from './tail-hub.ts'
import type { TailPlacesOf } from './tail-place.ts'
import { createTailListener } from './tail-listener.ts'
import type { TailListener } from './tail-listener.ts'

export interface TailDependencies {
  readonly store: Store
  readonly hub: TailHub
  readonly placesOf: TailPlacesOf
  readonly streams: OpenStreams
  readonly clock: Clock
  /** Aborted when the process was told to stop. */
  readonly stopping: AbortSignal
  readonly liveSessions: Pick<LiveSessions, 'roleOf'>
  readonly timing?: TailTiming
}

export interface TailTiming {
  /** After so long without an event there is one that says nothing. */
  readonly pingMs: number
  readonly sessionCheckMs: number
  /** How long a tail lasts at most. */
  readonly lastingMs: number
}

export interface TailRequest {
  readonly principal: SessionPrincipal
  readonly filters: TailFilters
  /** Of the last event that the caller has; undefined begins now. */
  readonly lastEventId: string | undefined
}

/** @throws {Problem} 503 */
export type OpenTail = (request: TailRequest) => Promise<Reply>

const timingDefault: TailTiming = Object.freeze({
  pingMs: 15_000,
  sessionCheckMs: 60_000,
  lastingMs: 3_600_000
})
const ping = serverSentEvent({ event: 'ping', data: '{}' })

/** Why a tail ends that nobody hung up. */
type Ending = 'stopping' | 'time_over' | 'session_ended'

export function createOpenTail(dependencies: TailDependencies): OpenTail {
  const { store, hub, placesOf, streams, clock, stopping } = dependencies

  return async function openTail({ principal, filters, lastEventId }) {
    const { organization_id } = principal
    const giveBack = streams.open('tail', organization_id)
    const listener = createTailListener(filters)
    stopping.addEventListener('abort', listener.wake)
    let end = (): void => {}
    let opening = ''
    const close = (): void => {
      stopping.removeEventListener('abort', listener.wake)
      end()
      giveBack()
    }
    try {
      const listening = await hub.listen(organization_id, listener.take)
      end = listening.end
      const { place } = listening
      opening = openingOf(place)
      const missed = { filters, place, now: clock.now() }
      if (lastEventId !== undefined) {
        const since = placesOf(organization_id).read(lastEventId)
        const asked = { ...missed, lastEventId, since }
        const told = await replayMissed(store.of(organization_id), listener, asked)
        // Who is cut before he has heard what he missed has still missed it.
        if (told !== null) opening = openingOf(lastEventId)
        hub.keep(organization_id, told ?? [])
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
  const endsAt = clock.now() + timing.lastingMs
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
      // Who may not listen any more is told nothing more, either.
      yield reason === 'session_ended' ? bye(reason) : text + bye(reason)
      return
    }
  }
}

/** While nobody knows, a tail goes on. */
async function hasEnded(sessions: Pick<LiveSessions, 'roleOf'>, principal: SessionPrincipal) {
  const role = await sessions.roleOf(principal).catch(() => principal.role)
  return role === null
}

function bye(reason: Ending): string {
  return serverSentEvent({ event: 'bye', data: JSON.stringify({ reason }) })
}

interface TailQuery extends TailFilters {
  readonly last_event_id?: string
}

export function createTail(openTail: OpenTail): SessionHandle {
  return async function tail({ principal, headers, query }) {
    const { last_event_id, ...filters } = query as TailQuery
    return openTail({ principal, filters, lastEventId: lastEventIdOf(headers, last_event_id) })
  }
}

/** A browser that comes back by itself sends the header; the address is what it began with. */
export function lastEventIdOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  parameter: string | undefined
): string | undefined {
  const header = headers['last-event-id']
  return typeof header === 'string' && header !== '' ? header : parameter
}
