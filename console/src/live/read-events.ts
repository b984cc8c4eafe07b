/** Reads server-sent events of the tail from one response. */
import { openResponse } from '../api/api.ts'

export interface TailEvent {
  readonly kind: string
  readonly data: string
  /** The position after this event; null if the event has none. */
  readonly id: string | null
}

type OnEvents = (events: readonly TailEvent[]) => void

/**
 * Maximum time without data before the response is canceled. The server sends a ping after 15
 * seconds without an event.
 */
const silenceMsMax = 40_000

/**
 * Calls `onEvents` until the response ends or no data arrives for `silenceMsMax`.
 * @throws {Error} if the connection is lost
 */
export async function readEvents(lastId: string | null, signal: AbortSignal, onEvents: OnEvents) {
  const headers = lastId === null ? {} : { 'last-event-id': lastId }
  const { body } = await openResponse({ path: '/v1/decisions/tail', headers, signal })
  const reader = (body as ReadableStream<BufferSource>)
    .pipeThrough(new TextDecoderStream())
    .getReader()
  let rest = ''
  for (;;) {
    const timer = setTimeout(() => void reader.cancel(), silenceMsMax)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    onEvents(blocks.map(eventOf))
  }
}

/** A block that only sets the id is an event, too: the first block has the start position. */
function eventOf(block: string): TailEvent {
  const lines = block.split('\n')
  const valueOf = (name: string): string | null =>
    lines.find((line) => line.startsWith(name))?.slice(name.length) ?? null
  return { kind: valueOf('event: ') ?? '', data: valueOf('data: ') ?? '', id: valueOf('id: ') }
}
