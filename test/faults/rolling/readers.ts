/** Readers for rolling restarts: one lists decisions repeatedly, the other follows a tail. */
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../../support/cleanup.ts'
import { openEventStream } from '../../support/event-stream.ts'
import type { EventStream, SeenEvent } from '../../support/event-stream.ts'

export interface Reader {
  stop(): Promise<void>
  /** Returns the number of list requests, or of tail connections. */
  count(): number
  /** Returns a description of each failure. */
  failures(): readonly string[]
}

interface Follower extends Reader {
  /** Returns the ids of the decisions received from the tail, in order. */
  shown(): readonly string[]
}

interface ReaderOptions {
  readonly url: string
  readonly accessToken: string
}

const listMs = 200
const timeoutMs = 30_000
const lookMs = 25
/**
 * Pause before a reconnection in milliseconds. Browsers would wait for the two seconds in the
 * tail's `retry` field.
 */
const reconnectMs = 500

export function startLister({ url, accessToken }: ReaderOptions): Reader {
  const failures: string[] = []
  const stopping = new AbortController()
  let count = 0

  async function list(): Promise<void> {
    const headers = { authorization: `Bearer ${accessToken}` }
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(`${url}/v1/decisions?limit=20`, { headers, signal })
    const text = await answer.text()
    count += 1
    // An overloaded test machine can cause this response.
    if (answer.status === 503 && text.includes('"overloaded"')) return
    if (answer.status !== 200) failures.push(`the list: ${answer.status} ${text.slice(0, 200)}`)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await list().catch((error: unknown) => failures.push(`the list: ${sentenceOf(error)}`))
      await pause(listMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  return readerOf({ running: run(), stopping, count: () => count, failures })
}

/** Follows a tail and reconnects when it ends. Resolves when the first connection is open. */
export async function startFollower(options: ReaderOptions): Promise<Follower> {
  const failures: string[] = []
  const shown: string[] = []
  const stopping = new AbortController()
  let last: string | null = null
  let count = 0

  async function connect(): Promise<EventStream | null> {
    const headers = {
      authorization: `Bearer ${options.accessToken}`,
      ...(last === null ? {} : { 'last-event-id': last })
    }
    const stream = await openEventStream(`${options.url}/v1/decisions/tail`, headers)
    count += 1
    if (stream.status === 200) return stream
    failures.push(`the tail: ${stream.status}`)
    return null
  }

  function take({ event, data }: SeenEvent): void {
    if (event === 'gap') failures.push(`the tail has a gap: ${JSON.stringify(data)}`)
    if (event === 'decision') shown.push(String(data['decision_id']))
  }

  /**
   * Reads events until the stream ends. A broken stream is not a failure, because the next
   * connection resumes it.
   */
  async function follow(stream: EventStream): Promise<void> {
    let taken = 0
    for (let isOpen = true; isOpen;) {
      isOpen = stream.state() === 'open' && !stopping.signal.aborted
      for (; taken < stream.events.length; taken += 1) take(stream.events[taken] as SeenEvent)
      if (isOpen) await pause(lookMs)
    }
    last = stream.lastId() ?? last
    stream.hangUp()
  }

  async function run(first: EventStream | null): Promise<void> {
    for (let stream = first; !stopping.signal.aborted; stream = await again()) {
      if (stream !== null) await follow(stream)
    }
  }

  async function again(): Promise<EventStream | null> {
    await pause(reconnectMs)
    return await connect().catch((error: unknown) => {
      failures.push(`the tail: ${sentenceOf(error)}`)
      return null
    })
  }
  const running = run(await connect())
  return { ...readerOf({ running, stopping, count: () => count, failures }), shown: () => shown }
}

interface Running {
  readonly running: Promise<void>
  readonly stopping: AbortController
  readonly count: () => number
  readonly failures: readonly string[]
}

function readerOf({ running, stopping, count, failures }: Running): Reader {
  async function stop(): Promise<void> {
    stopping.abort()
    await running
  }
  onEnd(stop)
  return { stop, count, failures: () => failures }
}

function sentenceOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? `${String(error)}: ${cause.message}` : String(error)
}
