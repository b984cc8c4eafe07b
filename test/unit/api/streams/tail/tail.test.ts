/** Tests the lifetime of a tail: it sends pings until a timeout, the session, the client or a
 * shutdown ends it.
 */
import { expect, test } from '@jest/globals'
import type { SessionPrincipal } from '../../../../../core/principal.ts'
import type { Store } from '../../../../../api/store.ts'
import { createOpenStreams } from '../../../../../api/streams/streams.ts'
import { createOpenTail, lastEventIdOf } from '../../../../../api/streams/tail/tail.ts'
import type { OnUpdate } from '../../../../../api/streams/tail/tail-hub.ts'
import type { TailTiming } from '../../../../../api/streams/tail/tail.ts'
import { noon } from '../../../../support/builders.ts'
import { RecordingMetrics } from '../../../consumers/recording-metrics.ts'

const principal: SessionPrincipal = {
  kind: 'session',
  ...{ organization_id: 'o', user_id: 'u', role: 'viewer', session_id: 's' }
}
const timing: TailTiming = { pingMs: 1, sessionCheckMs: 60_000, lifetimeMs: 3_600_000 }

async function openTail(roleOf: () => Promise<string | null> = async () => 'viewer') {
  let now = noon
  let publish: OnUpdate = () => {}
  const stopping = new AbortController()
  const disconnect = new AbortController()
  const open = createOpenTail({
    store: {} as Store,
    hub: {
      subscribe: async (_organizationId, onUpdate) => {
        publish = onUpdate
        return { startId: 'p', end: () => {} }
      },
      keep: () => {}
    },
    tailIdsOf: () => {
      throw new Error('unexpected reconnect')
    },
    streams: createOpenStreams({ streamsMax: 1, metrics: new RecordingMetrics() }),
    clock: { now: () => now },
    ...{ stopping: stopping.signal, liveSessions: { roleOf }, timing }
  })
  const request = { principal, filters: {}, lastEventId: undefined }
  const { stream } = await open(request)
  const pieces = stream?.pieces(disconnect.signal)[Symbol.asyncIterator]()
  if (stream === undefined || pieces === undefined) throw new Error('no stream')
  const next = async (): Promise<string | undefined> => {
    const piece = await pieces.next()
    return piece.done === true ? undefined : String(piece.value)
  }
  expect(await next()).toBe('id: p\nretry: 2000\n\n')
  const pass = (ms: number): void => void (now += ms)
  const reopen = () => open(request)
  const drop = (dropped: number): void => publish({ decisions: [], evaluations: [], dropped })
  return { next, pass, drop, stopping, disconnect, stream, reopen }
}

const ping = 'event: ping\ndata: {}\n\n'
const bye = (reason: string): string => `event: bye\ndata: {"reason":"${reason}"}\n\n`

test('pings while idle, and ends after an hour', async () => {
  const { next, pass } = await openTail()
  expect(await next()).toBe(ping)
  pass(timing.lifetimeMs - 1)
  expect(await next()).toBe(ping)
  pass(1)
  expect([await next(), await next()]).toEqual([bye('time_over'), undefined])
})

test('ends with its session, and continues if the session cannot be read', async () => {
  let answer: Promise<string | null> = Promise.resolve('viewer')
  let asked = 0
  const { next, pass } = await openTail(() => {
    asked += 1
    return answer
  })
  expect([await next(), await next(), asked]).toEqual([ping, ping, 1])
  answer = Promise.reject(new Error('database unavailable'))
  pass(timing.sessionCheckMs)
  expect([await next(), asked]).toEqual([ping, 2])
  answer = Promise.resolve(null)
  pass(timing.sessionCheckMs)
  expect([await next(), await next()]).toEqual([bye('session_ended'), undefined])
})

test('sends queued events when the hour ends, but not when the session ends', async () => {
  const revoked = await openTail(async () => null)
  revoked.drop(1)
  expect([await revoked.next(), await revoked.next()]).toEqual([bye('session_ended'), undefined])
  const old = await openTail()
  old.drop(1)
  old.pass(timing.lifetimeMs)
  expect(await old.next()).toBe(`event: gap\ndata: {"dropped":1}\n\n${bye('time_over')}`)
})

test('ends on shutdown or when the client disconnects, and releases its slot', async () => {
  const stopped = await openTail()
  stopped.stopping.abort()
  expect([await stopped.next(), await stopped.next()]).toEqual([bye('stopping'), undefined])
  const left = await openTail()
  left.disconnect.abort()
  expect(await left.next()).toBeUndefined()
  await expect(left.reopen()).rejects.toThrow(expect.objectContaining({ code: 'overloaded' }))
  left.stream.close()
  await left.reopen()
})

test('prefers the Last-Event-ID header to the parameter', () => {
  expect(lastEventIdOf({ 'last-event-id': 'b' }, 'a')).toBe('b')
  expect(lastEventIdOf({ 'last-event-id': '' }, 'a')).toBe('a')
  expect(lastEventIdOf({}, undefined)).toBeUndefined()
})
