/** Follows new decisions. All tabs share one stream: a tab that holds a lock reads it and sends the
 * events to the others. A tab that has been hidden for a minute releases the lock, so there is no
 * stream while all tabs are hidden. The next visible tab resumes it.
 */
import { readEvents } from './read-events.ts'
import type { TailEvent } from './read-events.ts'

export interface LiveUpdate {
  readonly events: readonly TailEvent[]
  /** The position after all events so far; null before the first event. */
  readonly lastId: string | null
  /** Why the stream was interrupted, and when it is reopened; null while it is open. */
  readonly cut: { readonly reason: string; readonly retryAtMs: number } | null
}

const hiddenMsMax = 60_000
const retryMsMax = 30_000
const hello = 'hello'
const messageOf = (error: Error): string => error.message
// Browsers provide no locks on pages without TLS, except on loopback. Without locks, each tab has
// its own stream.
const suffix = 'locks' in navigator ? '' : String(Math.random())

/** @returns a function that stops following */
export function joinTail(owner: string, onUpdate: (update: LiveUpdate) => void) {
  const name = `sluice-tail ${owner} ${suffix}`
  const channel = new BroadcastChannel(name)
  let last: LiveUpdate = { events: [], lastId: null, cut: null }
  let turn: AbortController | null = null
  let hiding: ReturnType<typeof setTimeout> | undefined

  function take(update: LiveUpdate): void {
    last = update
    onUpdate(update)
  }

  function send(events: readonly TailEvent[], cut: LiveUpdate['cut']): void {
    const lastId = events.findLast(({ id }) => id !== null)?.id ?? last.lastId
    take({ events, lastId, cut })
    channel.postMessage(last)
  }

  async function lead(signal: AbortSignal): Promise<void> {
    // A new tab asks for the state of the stream.
    const answer = ({ data }: MessageEvent): void => void (data === hello && send([], last.cut))
    channel.addEventListener('message', answer, { signal })
    for (let retryMs = 0; !signal.aborted;) {
      const ending = readEvents(last.lastId, signal, (events) => {
        retryMs = 0
        send(events, null)
      })
      const reason = await ending.then(() => 'The stream ended.', messageOf)
      if (signal.aborted) return
      retryMs = Math.min(retryMsMax, 2 * retryMs + 1000)
      send([], { reason, retryAtMs: Date.now() + retryMs })
      await pause(retryMs, signal)
    }
  }

  function follow(): void {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(() => turn?.abort(), hiddenMsMax)
    if (document.hidden || turn?.signal.aborted === false) return
    turn = new AbortController()
    const { signal } = turn
    if (suffix !== '') return void lead(signal)
    navigator.locks.request(name, { signal }, () => lead(signal)).catch(() => {})
  }

  channel.addEventListener('message', ({ data }: MessageEvent<LiveUpdate | typeof hello>) => {
    if (data !== hello) take(data)
  })
  document.addEventListener('visibilitychange', follow)
  channel.postMessage(hello)
  follow()
  return (): void => {
    document.removeEventListener('visibilitychange', follow)
    clearTimeout(hiding)
    turn?.abort()
    channel.close()
  }
}

/** Resolves after `ms`, or when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  setTimeout(resolve, ms)
  signal.addEventListener('abort', resolve)
  return promise
}
