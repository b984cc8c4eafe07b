/** Who reads meanwhile: somebody looks at the list again and again, and somebody follows. */
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../../support/cleanup.ts'
import { openEventStream } from '../../support/event-stream.ts'
import type { EventStream, SeenEvent } from '../../support/event-stream.ts'

export interface Reader {
  stop(): Promise<void>
  /** Reads, or connections of the one who follows. */
  count(): number
  /** What failed, in sentences. */
  failures(): readonly string[]
}

export interface Follower extends Reader {
  /** Ids of decisions in the order in which they were shown. */
  shown(): readonly string[]
}

export interface ReaderOptions {
  readonly url: string
  readonly accessToken: string
}

const listMs = 200
const timeoutMs = 30_000
const lookMs = 25
/** A browser would wait for two seconds, as the tail tells it. */
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
    // Of a busy machine, and told apart by its code.
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

/** Resolves when the tail has begun. */
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

  /** Until it ends; a cut is none of its business, since the next one goes on. */
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
