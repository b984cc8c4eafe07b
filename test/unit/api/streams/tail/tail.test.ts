/** How a tail goes on and ends: by the clock, by its session, by its caller, by the process. */
import { expect, test } from '@jest/globals'
import type { SessionPrincipal } from '../../../../../core/principal.ts'
import type { Store } from '../../../../../api/store.ts'
import { createOpenStreams } from '../../../../../api/streams/open-streams.ts'
import { createOpenTail, lastEventIdOf } from '../../../../../api/streams/tail/tail.ts'
import type { Listen } from '../../../../../api/streams/tail/tail-hub.ts'
import type { TailTiming } from '../../../../../api/streams/tail/tail.ts'
import { noon } from '../../../../support/builders.ts'
import { RecordingMetrics } from '../../../consumers/recording-metrics.ts'

const principal: SessionPrincipal = {
  kind: 'session',
  ...{ organization_id: 'o', user_id: 'u', role: 'viewer', session_id: 's' }
}
const timing: TailTiming = { pingMs: 1, sessionCheckMs: 60_000, lastingMs: 3_600_000 }

async function openTail(roleOf: () => Promise<string | null> = async () => 'viewer') {
  let now = noon
  let tell: Listen = () => {}
  const stopping = new AbortController()
  const hangUp = new AbortController()
  const open = createOpenTail({
    store: {} as Store,
    hub: {
      listen: async (_whose, listen) => {
        tell = listen
        return { place: 'p', end: () => {} }
      },
      keep: () => {}
    },
    placesOf: () => {
      throw new Error('nobody comes back here')
    },
    streams: createOpenStreams({ streamsMax: 1, metrics: new RecordingMetrics() }),
    clock: { now: () => now },
    ...{ stopping: stopping.signal, liveSessions: { roleOf }, timing }
  })
  const request = { principal, filters: {}, lastEventId: undefined }
  const { stream } = await open(request)
  const pieces = stream?.pieces(hangUp.signal)[Symbol.asyncIterator]()
  if (stream === undefined || pieces === undefined) throw new Error('no stream')
  const next = async (): Promise<string | undefined> => {
    const piece = await pieces.next()
    return piece.done === true ? undefined : String(piece.value)
  }
  expect(await next()).toBe('id: p\nretry: 2000\n\n')
  const pass = (ms: number): void => void (now += ms)
  const openAgain = () => open(request)
  const hear = (dropped: number): void => tell({ decisions: [], evaluations: [], dropped })
  return { next, pass, hear, stopping, hangUp, stream, openAgain }
}

const ping = 'event: ping\ndata: {}\n\n'
const bye = (reason: string): string => `event: bye\ndata: {"reason":"${reason}"}\n\n`

test('pings while there is nothing to tell, and ends after an hour', async () => {
  const { next, pass } = await openTail()
  expect(await next()).toBe(ping)
  pass(timing.lastingMs - 1)
  expect(await next()).toBe(ping)
  pass(1)
  expect([await next(), await next()]).toEqual([bye('time_over'), undefined])
})

test('ends when its session has ended, and goes on while nobody knows', async () => {
  let answer: Promise<string | null> = Promise.resolve('viewer')
  let asked = 0
  const { next, pass } = await openTail(() => {
    asked += 1
    return answer
  })
  expect([await next(), await next(), asked]).toEqual([ping, ping, 1])
  answer = Promise.reject(new Error('the store is away'))
  pass(timing.sessionCheckMs)
  expect([await next(), asked]).toEqual([ping, 2])
  answer = Promise.resolve(null)
  pass(timing.sessionCheckMs)
  expect([await next(), await next()]).toEqual([bye('session_ended'), undefined])
})

test('whose session has ended hears nothing more; whose time is over does', async () => {
  const revoked = await openTail(async () => null)
  revoked.hear(1)
  expect([await revoked.next(), await revoked.next()]).toEqual([bye('session_ended'), undefined])
  const old = await openTail()
  old.hear(1)
  old.pass(timing.lastingMs)
  expect(await old.next()).toBe(`event: gap\ndata: {"dropped":1}\n\n${bye('time_over')}`)
})

test('ends when the process stops or the caller hangs up, and gives its place back', async () => {
  const stopped = await openTail()
  stopped.stopping.abort()
  expect([await stopped.next(), await stopped.next()]).toEqual([bye('stopping'), undefined])
  const left = await openTail()
  left.hangUp.abort()
  expect(await left.next()).toBeUndefined()
  await expect(left.openAgain()).rejects.toThrow(expect.objectContaining({ code: 'overloaded' }))
  left.stream.close()
  await left.openAgain()
})

test('a header says more than the address that a caller began with', () => {
  expect(lastEventIdOf({ 'last-event-id': 'b' }, 'a')).toBe('b')
  expect(lastEventIdOf({ 'last-event-id': '' }, 'a')).toBe('a')
  expect(lastEventIdOf({}, undefined)).toBeUndefined()
})
